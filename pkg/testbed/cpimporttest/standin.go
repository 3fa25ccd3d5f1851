//go:build linux

// Package cpimporttest gives tests a program to run in place of cpimport: the test binary itself under another name, or
// where that does not run a static program, which does what its plan says.
package cpimporttest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/transcript"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// Plan is what a stand-in does, in this order.
type Plan struct {
	// Child leaves a child behind that keeps the streams open.
	Child bool
	// BulkRollback is a directory in which a table's entry is made and synced, as cpimport does before it changes the table;
	// it is there until the end. The empty text makes none.
	BulkRollback string
	// Noise is how many bytes of lines are printed before the others.
	Noise int64
	// DSN is the server into whose table the file is loaded; the empty text loads nothing.
	DSN string
	// Stdout and Stderr are printed.
	Stdout, Stderr string
	// Hang waits for SIGTERM, making the entry in BulkRollback again and again, and Linger some time more.
	Hang   bool
	Linger time.Duration
	// Signal ends the process; 0 exits with Status.
	Signal syscall.Signal
	Status int
}

const (
	planName = "plan.json"
	pidsName = "pids"
	argsName = "args.json"
)

// Standin is a program that can be run in place of cpimport.
type Standin struct {
	// Path is the program.
	Path string
	dir  string
}

// New makes a program of that name, which is "standin" in most tests: another process named cpimport keeps trials on a
// ColumnStore from running. What still runs of it when the test ends is killed.
func New(t testing.TB, name string, plan Plan) *Standin {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &Standin{dir: t.TempDir()}
	s.Path = filepath.Join(s.dir, name)
	if err := os.Symlink(self, s.Path); err != nil {
		t.Fatal(err)
	}
	s.Plan(t, plan)
	t.Cleanup(func() {
		for _, pid := range s.PIDs(t) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // most have ended
		}
	})
	return s
}

// Build makes a static program in a directory, which is made, too. The whole directory can be moved to a machine that has
// nothing else.
func Build(t testing.TB, dir string, plan Plan) {
	t.Helper()
	s := &Standin{Path: filepath.Join(dir, "standin"), dir: dir}
	testbed.Static(t, "build", "-o", s.Path, "github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest/standin")
	s.Plan(t, plan)
}

// Plan changes what the program does when it is started next.
func (s *Standin) Plan(t testing.TB, plan Plan) {
	t.Helper()
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, planName), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// PIDs returns the processes that were started of it, children included.
func (s *Standin) PIDs(t testing.TB) (pids []int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, pidsName))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for word := range strings.FieldsSeq(string(text)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// Await returns once the program was started so often. Its signals are handled from then on.
func (s *Standin) Await(t testing.TB, starts int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); len(s.PIDs(t)) < starts; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d starts, want %d", len(s.PIDs(t)), starts)
		}
	}
}

// Start is how the program was started.
type Start struct {
	Args, Env      []string
	Dir            string
	PID, PGID, SID int
	// Stdin is the file behind descriptor 0.
	Stdin string
}

// LastStart returns how the program was started last.
func (s *Standin) LastStart(t testing.TB) (start Start) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, argsName))
	if err == nil {
		err = json.Unmarshal(text, &start)
	}
	if err != nil {
		t.Fatal(err)
	}
	return start
}

// Success is what cpimport prints about an import of so many rows that took 9.82988 s.
func Success(rows int64) string {
	n := strconv.FormatInt(rows, 10)
	const at = "2026-11-30 14:26:07 (18747) INFO : "
	return at + "Job file loaded, run time for this step : 0.103222 seconds\n" +
		at + "preProcess completed, run time for this step : 5.71474 seconds\n" +
		at + "For table test.cptest: " + n + " rows processed and " + n + " rows inserted.\n" +
		at + "Bulk load completed, total run time : 9.82988 seconds\n"
}

// SuccessSteps are the steps that Success tells.
func SuccessSteps() map[string]float64 {
	return map[string]float64{
		transcript.StepJobLoad: 0.103222, transcript.StepPreprocess: 5.71474, transcript.StepLoad: 4.011918, transcript.StepTotal: 9.82988,
	}
}
