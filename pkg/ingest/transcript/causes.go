package transcript

import (
	"strings"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
)

// cause is a failure and the phrases, in lower case, of which one is in a line that tells of it. Parts of a phrase, with …
// between them, follow one another in the line.
type cause struct {
	failure outcome.Failure
	phrases []string
}

// causes returns what is looked for, in this order, in each line and over all lines: what stands first explains what
// stands below.
func causes() []cause {
	return []cause{
		{outcome.Locked, []string{"unable to acquire lock", "failed to acquire table lock", "table currently locked by"}},
		{outcome.ReadOnly, []string{
			"in read-only state", "in readonly state", "in read-only mode", "write disabled state", "write suspended mode",
			"creating new cpimport job on controller",
		}},
		{outcome.NotReady, []string{"system is not ready", "system is being shutdown", "dbrm is not responding"}},
		{outcome.TableShape, []string{"does not exist in columnstore", "mcs-2006", "idb-2006"}},
		{outcome.Rejected, []string{"exceeds the max error rows"}},
		{outcome.CSV, []string{"input data file … does not exist", "error opening import file", "error reading import file"}},
		{outcome.Permission, []string{"permission denied", "operation not permitted", "gaining r/w access", "chown"}},
		{outcome.Exec, []string{"unknown command line option", "invalid option", "cpimport -h' for more", "simple usage using positional"}},
	}
}

// rankOf returns the place among causes of what a line tells, or that behind the last.
func rankOf(causes []cause, line string) int {
	line = strings.ToLower(line)
	for i, c := range causes {
		for _, phrase := range c.phrases {
			if holds(line, phrase) {
				return i
			}
		}
	}
	return len(causes)
}

// holds tells whether the parts of the phrase follow one another in the line.
func holds(line, phrase string) bool {
	for part := range strings.SplitSeq(phrase, " … ") {
		at := strings.Index(line, part)
		if at < 0 {
			return false
		}
		line = line[at+len(part):]
	}
	return true
}

// CauseOf returns the failure that a text of the engine tells of, empty when it is none that is known.
func CauseOf(text string) outcome.Failure {
	all := causes()
	if i := rankOf(all, text); i < len(all) {
		return all[i].failure
	}
	return ""
}
