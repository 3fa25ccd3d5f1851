//go:build linux

package cpimport_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cpimport"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/transcript"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest"
)

func TestMain(m *testing.M) {
	cpimporttest.Main()
	goleak.VerifyTestMain(m)
}

const (
	recordings = "../testdata/recordings"
	rows       = 10_000
)

// run is one stand-in under way.
type run struct {
	*cpimport.Process
	parser  *transcript.Parser
	printed *output
}

// output is what was printed on stdout so far.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// await waits for a text.
func (o *output) await(t *testing.T, text string) {
	t.Helper()
	has := func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return strings.Contains(o.text.String(), text)
	}
	for deadline := time.Now().Add(time.Minute); !has(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%q was not printed", text)
		}
	}
}

func start(t *testing.T, standin *cpimporttest.Standin) run {
	t.Helper()
	r := run{parser: transcript.NewParser(), printed: &output{}}
	var err error
	r.Process, err = cpimport.Start(command(t, standin.Path), io.MultiWriter(r.parser.Stdout(), r.printed), r.parser.Stderr())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func command(t *testing.T, path string) cpimport.Command {
	t.Helper()
	dir := t.TempDir()
	return cpimport.Command{Path: path, File: filepath.Join(dir, "cptest.csv"), Directory: dir, Database: "test", Table: "cptest"}
}

// verdict waits for the end.
func (r run) verdict(asked bool) transcript.Verdict {
	<-r.Done()
	return r.parser.Transcript().Judge(r.Status(), rows, asked)
}

func TestStartGivesTheDocumentedCommand(t *testing.T) {
	standin := cpimporttest.New(t, "standin", cpimporttest.Plan{})
	c := command(t, standin.Path)
	process, err := cpimport.Start(c, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	<-process.Done()
	got := standin.LastStart(t)
	slices.Sort(got.Env)
	want := cpimporttest.Start{
		Args: []string{
			"-m", "3", "-e", "0", "-s", ",", "-E", `"`, "-j", "1057010570", "-L", c.Directory, "test", "cptest", c.File,
		},
		Env:   []string{"LC_ALL=C.UTF-8", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		Dir:   c.Directory,
		PID:   process.PID(),
		PGID:  process.PID(), // a group
		SID:   process.PID(), // and a session of its own
		Stdin: "/dev/null",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("start (-want +got):\n%s", diff)
	}
}

// What becomes of each recording is tested in package ingest; here it is that nothing gets lost on the way.
func TestEachRecordingSurvivesThePipes(t *testing.T) {
	entries, err := os.ReadDir(recordings)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		t.Run(entry.Name(), func(t *testing.T) {
			plan := cpimporttest.Replay(t, recordings, entry.Name())
			parser := transcript.NewParser()
			_, _ = io.WriteString(parser.Stdout(), plan.Stdout)
			_, _ = io.WriteString(parser.Stderr(), plan.Stderr)
			want := parser.Transcript()

			r := start(t, cpimporttest.New(t, "standin", plan))
			<-r.Done()
			got := r.parser.Transcript()
			got.Text, want.Text = sorted(got.Text), sorted(want.Text) // the streams race
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("transcript (-want +got):\n%s", diff)
			}
			if status := r.Status(); status.ExitStatus() != plan.Status && status.Signal() != plan.Signal {
				t.Errorf("status %v, want exit status %d or signal %v", status, plan.Status, plan.Signal)
			}
		})
	}
}

func sorted(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestBadBehaviour(t *testing.T) {
	success := cpimporttest.Success(rows)
	for name, test := range map[string]struct {
		plan cpimporttest.Plan
		want outcome.Failure
	}{
		"exits 0 with nothing":                {cpimporttest.Plan{}, outcome.Exec},
		"exits 1 with nothing":                {cpimporttest.Plan{Status: 1}, outcome.OtherFailure},
		"prints 100 MB first":                 {cpimporttest.Plan{Noise: 100 << 20, Stdout: success}, ""},
		"prints without a newline":            {cpimporttest.Plan{Stdout: strings.TrimSuffix(success, "\n")}, ""},
		"prints without any newline":          {cpimporttest.Plan{Stdout: strings.ReplaceAll(success, "\n", " ")}, outcome.Exec},
		"dies by a signal":                    {cpimporttest.Plan{Stdout: success, Signal: syscall.SIGKILL}, outcome.Killed},
		"leaves a child that keeps the pipes": {cpimporttest.Plan{Child: true, Stdout: success}, ""},
		"exits 1 after the rows line":         {cpimporttest.Plan{Stdout: success, Status: 1}, outcome.OtherFailure},
	} {
		t.Run(name, func(t *testing.T) {
			if verdict := start(t, cpimporttest.New(t, "standin", test.plan)).verdict(false); verdict.Failure != test.want {
				t.Errorf("verdict %+v, want failure %q", verdict, test.want)
			}
		})
	}
}

func TestAChildThatKeepsThePipesIsNotTimed(t *testing.T) {
	plan := cpimporttest.Plan{Child: true, Stdout: cpimporttest.Success(rows)}
	r := start(t, cpimporttest.New(t, "standin", plan))
	<-r.Done()
	if whole := time.Since(r.Started); r.Elapsed() > whole-time.Second {
		t.Errorf("%v elapsed of %v, want less by the time that the pipes were watched on", r.Elapsed(), whole)
	}
}

func TestEndIsWaitedFor(t *testing.T) {
	const linger = 500 * time.Millisecond
	plan := cpimporttest.Plan{Stdout: "hanging\n", Hang: true, Linger: linger, Status: 1}
	r := start(t, cpimporttest.New(t, "standin", plan))
	r.printed.await(t, "hanging")
	asked := time.Now()
	if err := r.End(); err != nil {
		t.Fatal(err)
	}
	if verdict := r.verdict(true); verdict.Failure != outcome.Timeout {
		t.Errorf("verdict %+v, want failure timeout", verdict)
	}
	if took := time.Since(asked); took < linger {
		t.Errorf("the end came %v after it was asked for, want %v at least", took, linger)
	}
	if err := r.End(); err != nil {
		t.Errorf("to end once more: %v", err)
	}
}

func TestSomebodyElsesSignalIsKilled(t *testing.T) {
	r := start(t, cpimporttest.New(t, "standin", cpimporttest.Plan{Stdout: "hanging\n", Hang: true, Status: 1}))
	r.printed.await(t, "hanging")
	if err := syscall.Kill(r.PID(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if verdict := r.verdict(false); verdict.Failure != outcome.Killed {
		t.Errorf("verdict %+v, want failure killed", verdict)
	}
}

func TestWhatCannotStartLeavesNothing(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("no program"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{plain, "/nonexistent/cpimport"} {
		before := descriptors(t)
		if _, err := cpimport.Start(command(t, path), io.Discard, io.Discard); err == nil {
			t.Errorf("%s was started", path)
		}
		if after := descriptors(t); after != before {
			t.Errorf("%d descriptors, %d before", after, before)
		}
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
