//go:build columnstore

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/columnstore"
)

// TestColumnStore runs the daemon beside a real ColumnStore, as its user and with the documented grants. The parts build
// on one another.
func TestColumnStore(t *testing.T) {
	n := startColumnstore(t)
	before := columnstore.Files(t)
	n.daemon(t)
	for _, part := range []struct {
		name string
		run  func(*columnstoreNode)
	}{
		{"discovers and probes the engine's directories", (*columnstoreNode).discovers},
		{"seeds the table and runs five trials", (*columnstoreNode).imports},
		{"probes beside somebody else's import", (*columnstoreNode).givesWay},
		{"starts no trial where it must not", (*columnstoreNode).refuses},
		{"checks once", (*columnstoreNode).checks},
		{"tells of a killed import", (*columnstoreNode).tellsOfKilledImport},
		{"outlasts the engine", (*columnstoreNode).outlasts},
		{"ends during an import", (*columnstoreNode).endsDuringImport},
	} {
		passed := t.Run(part.name, func(t *testing.T) {
			n.t = t
			part.run(n)
		})
		if n.t = t; !passed {
			return
		}
	}
	n.stop()
	columnstore.CompareFiles(t, before, columnstore.Files(t))
}

func (n *columnstoreNode) discovers() {
	n.expect(series("success", columnstore.DBRoot), is(1))
	if _, found := n.metric(rollbackSeries("success")); found {
		n.t.Error("bulkRollback, which no import has made yet, was measured")
	}
	n.expect("up", is(1))
	n.expect("system_ready", is(1))
	n.expect("system_read_only", is(0))
	n.expect("system_primary", is(1))
	n.expect("table_locks", is(0))
	var directories []string
	s := n.status()
	for _, target := range s.Targets {
		directories = append(directories, target.DBRoot+" "+string(target.Kind)+" "+target.Directory)
	}
	want := []string{"1 dbroot " + columnstore.DBRoot, "1 bulkrollback " + columnstore.BulkRollback}
	if s.Module != "pm1" || !slices.Equal(directories, want) {
		n.t.Errorf("module %q, targets %q, want %q", s.Module, directories, want)
	}
}

// rollbackSeries names a series of bulkRollback.
func rollbackSeries(name string) string {
	return fmt.Sprintf(`storage_%s{dbroot="1",directory=%q,kind="bulkrollback"}`, name, columnstore.BulkRollback)
}

func (n *columnstoreNode) imports() {
	for trial := range int64(5) {
		n.now()
		if trial == 0 {
			n.expect(`bulkrollback_entries{dbroot="1"}`, is(1))
			n.expect("ingest_in_flight_start_timestamp_seconds", above(0))
		}
		n.expect(`ingest_duration_seconds_count{method="cpimport"}`, is(float64(trial+1)))
		rows := (trial + 2) * 10_000 // the seed came first
		n.expect("ingest_table_rows", is(float64(rows)))
		if counted := n.Rows(n.t, trialTable); counted != rows {
			n.t.Errorf("%d rows after trial %d, want %d", counted, trial+1, rows)
		}
		n.checkSteps()
	}
	n.expect("ingest_trials_total", is(5))
	n.expect(`ingest_last_rows{method="cpimport"}`, is(10_000))
	n.expect("ingest_in_flight_start_timestamp_seconds", is(0))
	n.expect(rollbackSeries("success"), is(1))
	n.settled()
}

// checkSteps holds the steps of the last trial against one another and against its wall clock.
func (n *columnstoreNode) checkSteps() {
	n.t.Helper()
	value := func(series string) float64 { return n.expect(series, above(0)) }
	step := func(name string) float64 {
		return value(fmt.Sprintf(`ingest_step_duration_seconds{method="cpimport",step=%q}`, name))
	}
	wall, total := value(`ingest_last_duration_seconds{method="cpimport"}`), step("total")
	parts := step("job_load") + step("preprocess") + step("load")
	n.t.Logf("%.1f s, by cpimport's own count %.1f s, of which preprocess %.1f s", wall, total, step("preprocess"))
	if total > wall || parts > total*1.001 || parts < total*0.999 {
		n.t.Errorf("steps of %v s add up to %v s, in a wall clock of %v s", parts, total, wall)
	}
}

// givesWay lets somebody else import into the trial's table, and stops that import in the middle.
func (n *columnstoreNode) givesWay() {
	rows := n.Rows(n.t, trialTable)
	other := n.foreign("-s", ",", "-E", `"`, "columnstore_exporter", "cptest", filepath.Join(n.state, "cptest-10000.csv"))
	n.expect(`bulkrollback_entries{dbroot="1"}`, is(1))
	for _, reads := range []string{series("read_latency_seconds_count", columnstore.DBRoot), rollbackSeries("read_latency_seconds_count")} {
		before, _ := n.metric(reads)
		n.expect(reads, above(before))
	}
	n.signal(other.Process.Pid, syscall.SIGSTOP)
	n.skips(outcome.SkipLocked)
	n.expect("table_locks", is(1))
	n.expect("ingest_table_locked", is(1))
	n.expect(series("success", columnstore.DBRoot), is(1))
	n.expect(rollbackSeries("success"), is(1))
	n.signal(other.Process.Pid, syscall.SIGCONT)
	other.end()
	if now := n.Rows(n.t, trialTable); now != rows+10_000 {
		n.t.Errorf("%d rows after somebody else's import, %d before", now, rows)
	}
	n.settled()

	n.Exec(n.t, "CREATE DATABASE others", "CREATE TABLE others.t (a INT) ENGINE=ColumnStore")
	other = n.foreign("others", "t") // from its input, which is open
	n.eventually("the lock", func() bool { return len(columnstore.Locks(n.t)) == 1 })
	n.skips(outcome.SkipLocked)
	n.expect("ingest_table_locked", is(0))
	other.end()
	n.Exec(n.t, "DROP DATABASE others")
}

// refuses meets what the gate looks for besides locks.
func (n *columnstoreNode) refuses() {
	columnstore.Tool(n.t, "dbrmctl", "readonly")
	n.skips(outcome.SkipReadOnly)
	n.expect("system_read_only", is(2))
	columnstore.Tool(n.t, "dbrmctl", "readwrite")

	// The engine asks the file each time.
	restore := n.reconfigure("<PrimaryUMModuleName>pm1<", "<PrimaryUMModuleName>pm2<")
	n.skips(outcome.SkipNotPrimary)
	n.expect("system_primary", is(0))
	restore()

	// Somebody else's import that has not come to its lock.
	program := filepath.Join(n.t.TempDir(), "cpimport")
	if output, err := exec.CommandContext(n.t.Context(), "cp", "/bin/sleep", program).CombinedOutput(); err != nil {
		n.t.Fatalf("%v\n%s", err, output)
	}
	other := exec.CommandContext(n.t.Context(), program, "1h")
	if err := other.Start(); err != nil {
		n.t.Fatal(err)
	}
	n.skips(outcome.SkipOtherImport)
	_ = other.Process.Kill()
	_ = other.Wait() // it was killed

	if r := n.check(2, n.command(checkCommand()...), "INGEST_TABLE=cp test", "INGEST_METHOD=load_data"); r.Ingest.Skipped[string(outcome.SkipTableShape)] != 1 {
		n.t.Errorf("a table of a name that cpimport cannot take: %+v", r.Ingest)
	}
}
