package config

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"time"
	"unicode"
)

// sector is the least alignment of O_DIRECT, in bytes.
const sector = 512

// rule is a check that one variable's text cannot tell.
type rule struct {
	// variables are those that the rule looks at; errors begin with the first. It does not apply when one is broken, for
	// then it would speak of a default.
	variables []string
	check     func() []error
}

// check applies every rule.
func (s *Settings) check(broken map[string]bool) (errs []error) {
	for _, r := range s.rules() {
		if slices.ContainsFunc(r.variables, func(name string) bool { return broken[name] }) {
			continue
		}
		for _, err := range r.check() {
			errs = append(errs, fmt.Errorf("%s: %w", fullName(r.variables[0]), err))
		}
	}
	return errs
}

func (s *Settings) rules() []rule {
	return []rule{
		{[]string{"LISTEN_ADDRESS"}, s.distinctAddresses},
		{[]string{"DBROOTS"}, s.Discovery.numberedRoots},
		{[]string{"EXTRA_DIRECTORIES"}, s.Discovery.namedExtras},
		{[]string{"LATENCY_REQUEST_SIZE"}, func() []error { return aligned(s.Latency.RequestSize) }},
		{[]string{"LATENCY_WORKING_SET", "LATENCY_REQUEST_SIZE"}, s.wholeRequests},
		{[]string{"LATENCY_INTERVAL", "LATENCY_COUNT", "COMMIT_COUNT", "LATENCY_REQUEST_INTERVAL"}, s.fittingRun},
		{[]string{"INGEST_DSN", "INGEST_DSN_FILE"}, s.oneDSN},
		{[]string{"INGEST_DATABASE", "INGEST_METHOD"}, func() []error { return s.cpimportArgument(s.Ingest.Database) }},
		{[]string{"INGEST_TABLE", "INGEST_METHOD"}, func() []error { return s.cpimportArgument(s.Ingest.Table) }},
		{[]string{"STATE_DIR", "INGEST_METHOD"}, s.cpimportFiles},
		{[]string{"INGEST_MAX_TABLE_ROWS", "INGEST_ROWS"}, s.roomForTrial},
		{[]string{"THROUGHPUT_TESTS"}, s.distinctTests},
		{[]string{"THROUGHPUT_BLOCK_SIZE"}, func() []error { return aligned(s.Throughput.BlockSize) }},
		{[]string{"THROUGHPUT_MAX_BYTES", "THROUGHPUT_BLOCK_SIZE", "THROUGHPUT_THREADS"}, s.roomForBlocks},
	}
}

// distinctAddresses refuses to listen twice at one place. Port 0 is another port each time.
func (s *Settings) distinctAddresses() (errs []error) {
	for _, address := range repeated(s.Web.ListenAddresses) {
		if _, port, _ := net.SplitHostPort(address); port != "0" {
			errs = append(errs, fmt.Errorf("%s is there twice; leave one out", quote(address)))
		}
	}
	return errs
}

func (s *Settings) distinctTests() (errs []error) {
	for _, test := range repeated(s.Throughput.Tests) {
		errs = append(errs, fmt.Errorf("%s is there twice; leave one out", test))
	}
	return errs
}

// aligned holds a size against what O_DIRECT needs at the least.
func aligned(size Size) []error {
	if size%sector != 0 {
		return []error{fmt.Errorf("%d bytes are not a multiple of %d, as O_DIRECT needs it", size, sector)}
	}
	return nil
}

// wholeRequests wants the probe file to consist of whole requests.
func (s *Settings) wholeRequests() []error {
	if s.Latency.WorkingSet%s.Latency.RequestSize != 0 {
		return []error{fmt.Errorf("%s is not a multiple of %s=%s", s.Latency.WorkingSet, fullName("LATENCY_REQUEST_SIZE"), s.Latency.RequestSize)}
	}
	return nil
}

// fittingRun wants a run to be over when the next is due. The ranges keep the product below 2⁶³ ns.
func (s *Settings) fittingRun() []error {
	l := s.Latency
	run := time.Duration(l.Count+l.Commits) * l.RequestInterval
	if l.Interval == 0 || run <= l.Interval {
		return nil
	}
	return []error{fmt.Errorf("a run does not fit into %s: %s=%d and %s=%d at %s=%s take %s; make the interval at least that, or the run shorter",
		formatDuration(l.Interval), fullName("LATENCY_COUNT"), l.Count, fullName("COMMIT_COUNT"), l.Commits,
		fullName("LATENCY_REQUEST_INTERVAL"), formatDuration(l.RequestInterval), formatDuration(run))}
}

// oneDSN wants one source of the DSN at most, and one that can be read.
func (s *Settings) oneDSN() []error {
	dsn := s.Ingest.DSN.Reveal()
	switch {
	case dsn == "":
		return nil
	case s.Ingest.DSNFile != "":
		return []error{fmt.Errorf("set beside %s; leave one of them out", fullName("INGEST_DSN_FILE"))}
	}
	if err := checkDSN(dsn); err != nil {
		return []error{err}
	}
	return nil
}

// cpimportArgument refuses what cpimport would take apart: it joins its arguments and splits them again at white space,
// and takes one that begins with a dash for an option.
func (s *Settings) cpimportArgument(argument string) []error {
	mayRun := s.Ingest.Method != MethodLoadData
	if mayRun && (strings.ContainsFunc(argument, unicode.IsSpace) || strings.HasPrefix(argument, "-")) {
		return []error{fmt.Errorf("cpimport takes no white space and no leading dash in %s; choose another, or set %s=%s",
			quote(argument), fullName("INGEST_METHOD"), MethodLoadData)}
	}
	return nil
}

// cpimportFiles holds the directory of cpimport's files against the same, where trials run at all.
func (s *Settings) cpimportFiles() []error {
	if !s.Ingest.Configured() {
		return nil
	}
	return s.cpimportArgument(s.StateDir)
}

func (s *Settings) roomForTrial() []error {
	if s.Ingest.MaxTableRows < s.Ingest.Rows {
		return []error{fmt.Errorf("%d is less than %s=%d; the table has to hold one trial", s.Ingest.MaxTableRows, fullName("INGEST_ROWS"), s.Ingest.Rows)}
	}
	return nil
}

// roomForBlocks wants a block for each thread. How many threads the default stands for is known only where they run.
func (s *Settings) roomForBlocks() []error {
	t := s.Throughput
	if t.MaxBytes < Size(max(1, t.Threads))*t.BlockSize {
		return []error{fmt.Errorf("%s is less than %s=%s for each thread, %s=%d; a test has to write a block a thread",
			t.MaxBytes, fullName("THROUGHPUT_BLOCK_SIZE"), t.BlockSize, fullName("THROUGHPUT_THREADS"), t.Threads)}
	}
	return nil
}

// repeated returns each element that is in the list before.
func repeated[T comparable](list []T) (again []T) {
	for i, element := range list {
		if slices.Contains(list[:i], element) {
			again = append(again, element)
		}
	}
	return again
}
