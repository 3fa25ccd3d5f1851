//go:build columnstore

package main

import (
	"fmt"
	"slices"
	"strconv"
	"syscall"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/report"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/columnstore"
)

// checks runs trials from a shell beside the daemon: in a container, and cut short.
func (n *columnstoreNode) checks() {
	before := n.Rows(n.t, trialTable)
	trial := n.one(n.check(0, n.container(checkCommand()...)))
	if rows := n.Rows(n.t, trialTable); trial.Method != ingest.MethodLoadData || trial.Steps != nil || rows != before+10_000 {
		n.t.Errorf("in a container: %d rows, %d before, %+v", rows, before, trial)
	}

	before = n.Rows(n.t, trialTable)
	trial = n.one(n.check(2, n.command(checkCommand()...), "INGEST_TIMEOUT=1s"))
	if rows := n.Rows(n.t, trialTable); trial.Method != ingest.MethodCpimport || trial.Failure != outcome.Timeout || rows != before {
		n.t.Errorf("cpimport cut short: %d rows, %d before, %+v", rows, before, trial)
	}
	n.settled()

	// What LOAD DATA has sent by then stays. It cannot send so many rows in a second.
	const many = 100_000
	trial = n.one(n.check(2, n.command(checkCommand()...), "INGEST_METHOD=load_data", "INGEST_TIMEOUT=1s", fmt.Sprintf("INGEST_ROWS=%d", many)))
	if rows := n.Rows(n.t, trialTable); trial.Failure != outcome.Timeout || rows < before || rows >= before+many {
		n.t.Errorf("LOAD DATA cut short: %d rows, %d before, %+v", rows, before, trial)
	}
	n.settled()
}

// one returns the only trial of a report.
func (n *columnstoreNode) one(r report.Report) status.Trial {
	n.t.Helper()
	if len(r.Ingest.Trials) != 1 {
		n.t.Fatalf("want one trial: %+v", r.Ingest)
	}
	return r.Ingest.Trials[0]
}

// begins asks for a trial and returns the process of its import, which is in the middle of it.
func (n *columnstoreNode) begins() (pid int) {
	n.t.Helper()
	n.now()
	n.eventually("an entry in bulkRollback", func() bool { return columnstore.Entries(n.t) == 1 })
	locks := columnstore.Locks(n.t)
	if len(locks) != 1 || !slices.Contains(children(n.t, n.cmd.Process.Pid), locks[0].PID) {
		n.t.Fatalf("locks %+v, want that of the daemon's import", locks)
	}
	return locks[0].PID
}

func (n *columnstoreNode) tellsOfKilledImport() {
	before := n.Rows(n.t, trialTable)
	n.signal(n.begins(), syscall.SIGKILL)
	n.expect(`ingest_failures_total{reason="killed"}`, is(1))
	n.expect("table_locks", is(1))
	n.expect("ingest_table_locked", is(1))
	n.expect(`bulkrollback_entries{dbroot="1"}`, is(1))
	for range 2 {
		n.skips(outcome.SkipLeftover)
	}
	for _, lock := range columnstore.Locks(n.t) {
		columnstore.Tool(n.t, "cleartablelock", strconv.FormatInt(lock.ID, 10))
	}
	n.settled()
	if rows := n.Rows(n.t, trialTable); rows != before {
		n.t.Errorf("%d rows after the clearing, %d before", rows, before)
	}
	n.succeeds()
}

// outlasts takes the engine apart, and puts it together again. Questions to an engine without PrimProc can hang, and one
// that is not asked makes the server abort.
func (n *columnstoreNode) outlasts() {
	server := columnstore.Processes(n.t, "mariadbd")
	columnstore.Signal(n.t, "PrimProc", syscall.SIGKILL)
	n.skips(outcome.SkipSQL)
	n.absent("table_locks")
	n.expect("up", is(1))
	if now := columnstore.Processes(n.t, "mariadbd"); !slices.Equal(now, server) {
		n.t.Errorf("the server has ended: it was process %v, is %v", server, now)
	}
	columnstore.Signal(n.t, "controllernode", syscall.SIGTERM)
	n.skips(outcome.SkipNotReady)
	n.expect("system_ready", is(0))
	n.Stop(n.t)
	n.skips(outcome.SkipSQL)
	n.expect("up", is(0))
	n.absent("system_ready")
	n.Run(n.t)
	n.succeeds()
	n.expect("up", is(1))
	n.expect("system_ready", is(1))
}

// endsDuringImport stops the import first, so that it is sure to outlast the daemon.
func (n *columnstoreNode) endsDuringImport() {
	before := n.Rows(n.t, trialTable)
	pid := n.begins()
	n.signal(pid, syscall.SIGSTOP)
	if code, took := n.stop(); code != 0 || took > exitBound {
		n.t.Errorf("exit code %d after %s", code, took)
	}
	n.daemon(n.t)
	n.skips(outcome.SkipLeftover)
	n.expect("ingest_table_locked", is(1))
	n.signal(pid, syscall.SIGCONT)
	n.eventually("the end of the import", func() bool { return syscall.Kill(pid, 0) != nil })
	n.settled()
	if rows := n.Rows(n.t, trialTable); rows != before {
		n.t.Errorf("%d rows, %d before", rows, before)
	}
	n.succeeds()
}
