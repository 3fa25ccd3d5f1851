//go:build linux

package baseline

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// layoutName is what the label layout may hold.
var layoutName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// maxTextLength bounds a title and a host, in characters.
const maxTextLength = 80

// validate checks what the types could not. At holds the line of each layout.
func (f file) validate(at []int) error {
	if len(f.Layouts) == 0 {
		return errors.New("no layout: write a list under layouts")
	}
	if len(f.Layouts) > maxLayouts {
		return fmt.Errorf("%d layouts, at most %d are allowed", len(f.Layouts), maxLayouts)
	}
	taken := make(map[string]string)
	for _, published := range Published() {
		taken[published.Name] = "is the name of a published layout"
	}
	var errs []error
	for i, layout := range f.Layouts {
		report := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("line %d, layout %q: %w", line(at, i), layout.Name, fmt.Errorf(format, args...)))
		}
		if use, ok := taken[layout.Name]; ok {
			report("the name %s: choose another", use)
		}
		taken[layout.Name] = "is given twice"
		layout.validate(report)
	}
	return errors.Join(errs...)
}

func line(at []int, i int) int {
	if i < len(at) {
		return at[i]
	}
	return 0
}

func (l fileLayout) validate(report func(format string, args ...any)) {
	if !layoutName.MatchString(l.Name) {
		report("the name must be lower-case letters, digits and underscores, a letter first, 63 at most")
	}
	if !printable(l.Title) {
		report("title must be one line of at most %d characters", maxTextLength)
	}
	if !printable(l.Host) {
		report("host must be one line of at most %d characters", maxTextLength)
	}
	l.validateLatencies(report)
	if b := l.Ingest; b != nil && (b.Lower <= 0 || b.Upper < b.Lower || b.Upper > longest*time.Second) {
		report("ingest from %s to %s: write durations such as 8s, lower first, above 0, a day at most", b.Lower, b.Upper)
	}
}

func (l fileLayout) validateLatencies(report func(format string, args ...any)) {
	var seen []topology.Target
	for _, latency := range l.Latencies {
		at := topology.Target{DBRoot: strconv.Itoa(latency.DBRoot), Kind: latency.Kind}
		if latency.DBRoot < 1 || latency.DBRoot > 99 {
			report("dbroot %d: a DBroot has a number from 1 to 99", latency.DBRoot)
		}
		if latency.Kind != topology.KindDBRoot && latency.Kind != topology.KindBulkRollback {
			report("kind %q of dbroot %d: write %s or %s", latency.Kind, latency.DBRoot, topology.KindDBRoot, topology.KindBulkRollback)
		}
		if latency.Latency < time.Microsecond || latency.Latency > time.Minute {
			report("latency %s of dbroot %d: write a duration from 1us to 1m", latency.Latency, latency.DBRoot)
		}
		if slices.Contains(seen, at) {
			report("dbroot %d has two latencies of kind %s", latency.DBRoot, latency.Kind)
		}
		seen = append(seen, at)
	}
	l.validateRollbacks(seen, report)
}

// validateRollbacks wants a DBroot, and one for every bulkRollback.
func (l fileLayout) validateRollbacks(seen []topology.Target, report func(format string, args ...any)) {
	if !slices.ContainsFunc(seen, func(t topology.Target) bool { return t.Kind == topology.KindDBRoot }) {
		report("no latency of kind %s", topology.KindDBRoot)
		return
	}
	for _, at := range seen {
		if at.Kind == topology.KindBulkRollback && !slices.Contains(seen, topology.Target{DBRoot: at.DBRoot, Kind: topology.KindDBRoot}) {
			report("bulkrollback of dbroot %s without the DBroot's own latency", at.DBRoot)
		}
	}
}

func printable(s string) bool {
	return utf8.RuneCountInString(s) <= maxTextLength && utf8.ValidString(s) &&
		!slices.ContainsFunc([]rune(s), func(r rune) bool { return !unicode.IsPrint(r) })
}
