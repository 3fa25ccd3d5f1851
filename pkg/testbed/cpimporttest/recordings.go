//go:build linux

package cpimporttest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
)

// Recording is what must come out of a recorded import.
type Recording struct {
	// Rows is how many were to be imported, Inserted how many the import told of.
	Rows, Inserted int64
	// Preprocess and Total are seconds; 0 was not told.
	Preprocess, Total float64
	// Warnings is how many lines tell of changed values.
	Warnings int
	// Asked tells that the signal that ended the import stands for one of the exporter's own.
	Asked bool
	// Failure is the outcome, empty for success.
	Failure outcome.Failure
}

// Recordings returns the recorded imports by name. Those of other programs, such as viewtablelock, are not among them.
func Recordings() map[string]Recording {
	return map[string]Recording{
		"success":                      {Rows: 10000, Inserted: 10000, Preprocess: 5.71474, Total: 9.82988},
		"success-small-default-mode":   {Rows: 1000, Inserted: 1000, Preprocess: 5.69897, Total: 8.82442},
		"success-mode1":                {Rows: 1000, Inserted: 1000, Total: 8.39371},
		"success-extended-info":        {Rows: 1000, Inserted: 1000, Preprocess: 6.60083, Total: 8.71736},
		"success-quiet":                {Rows: 1000, Inserted: 1000, Preprocess: 5.84397, Total: 7.98826},
		"success-as-root":              {Rows: 1000, Inserted: 1000, Preprocess: 6.10832, Total: 8.21949},
		"stdin":                        {Rows: 1000, Inserted: 1000, Preprocess: 7.21823, Total: 9.35833},
		"import-after-cleartablelock":  {Rows: 1000, Inserted: 1000, Preprocess: 5.21741, Total: 7.32537},
		"dmlproc-down":                 {Rows: 1000, Inserted: 1000, Preprocess: 6.2571, Total: 8.38642},
		"warnings-saturated-truncated": {Rows: 1000, Inserted: 1000, Preprocess: 7.3226, Total: 9.45804, Warnings: 2},
		"empty-input":                  {Rows: 1000, Preprocess: 7.25438, Total: 8.38302, Failure: outcome.RowCount},
		"rejected-within-limit":        {Rows: 1000, Inserted: 990, Preprocess: 6.9954, Total: 9.12098, Failure: outcome.Rejected},
		"rejected-over-limit":          {Rows: 1000, Preprocess: 7.36305, Total: 9.56662, Failure: outcome.Rejected},
		"truncation-is-error":          {Rows: 1000, Preprocess: 7.02259, Total: 9.06159, Failure: outcome.Rejected},
		"wrong-delimiter":              {Rows: 1000, Preprocess: 7.09475, Total: 9.18558, Failure: outcome.Rejected},
		"no-such-table":                {Rows: 1000, Failure: outcome.TableShape},
		"no-such-database":             {Rows: 1000, Failure: outcome.TableShape},
		"table-of-another-engine":      {Rows: 1000, Failure: outcome.TableShape},
		"no-such-file":                 {Rows: 1000, Failure: outcome.CSV},
		"path-with-space":              {Rows: 1000, Failure: outcome.CSV},
		"unreadable-file":              {Rows: 1000, Preprocess: 5.89172, Total: 7.25395, Failure: outcome.CSV},
		"as-other-user":                {Rows: 1000, Failure: outcome.Permission},
		"cwd-not-writable":             {Rows: 1000, Failure: outcome.Permission},
		"locked":                       {Rows: 1000, Failure: outcome.Locked},
		"locked-mode1":                 {Rows: 1000, Failure: outcome.Locked},
		"import-after-sigkill":         {Rows: 1000, Failure: outcome.Locked},
		"read-only":                    {Rows: 1000, Failure: outcome.ReadOnly},
		"read-only-mode1":              {Rows: 1000, Failure: outcome.ReadOnly},
		"engine-down":                  {Rows: 1000, Failure: outcome.NotReady},
		"sigterm-after-2s":             {Rows: 10000, Preprocess: 5.66125, Total: 7.64683, Asked: true, Failure: outcome.Timeout},
		"sigint-after-2s":              {Rows: 10000, Preprocess: 5.45214, Total: 7.32607, Failure: outcome.Killed},
		"sigterm-after-7s":             {Rows: 10000, Preprocess: 5.43065, Total: 8.40418, Failure: outcome.Killed},
		"sigint-after-7s":              {Rows: 10000, Preprocess: 5.46356, Total: 8.41632, Asked: true, Failure: outcome.Timeout},
		"sigkill":                      {Rows: 10000, Preprocess: 5.51688, Failure: outcome.Killed},
		"worker-missing":               {Rows: 1000, Failure: outcome.Exec},
		"help":                         {Rows: 1000, Failure: outcome.Exec},
		"no-arguments":                 {Rows: 1000, Failure: outcome.Exec},
		"unknown-option":               {Rows: 1000, Failure: outcome.Exec},
	}
}

// Replay returns the plan that prints what a recording in dir holds, and ends as it did.
func Replay(t testing.TB, dir, name string) (plan Plan) {
	t.Helper()
	read := func(file string) string {
		text, err := os.ReadFile(filepath.Join(dir, name, file))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	plan.Stdout, plan.Stderr = read("stdout"), read("stderr")
	status, err := strconv.Atoi(strings.TrimSpace(read("status")))
	if err != nil {
		t.Fatal(err)
	}
	if plan.Status = status; status > 128 { // as a shell tells of a signal
		plan.Status, plan.Signal = 0, syscall.Signal(status-128)
	}
	return plan
}
