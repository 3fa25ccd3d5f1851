//go:build columnstore

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/report"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/columnstore"
)

// soon is how long the engine is waited for: a first trial takes half a minute on an idle machine.
const soon = 5 * time.Minute

// trialTable is the trial's table in statements.
const trialTable = "columnstore_exporter.cptest"

// columnstoreNode is a ColumnStore and the daemon beside it.
type columnstoreNode struct {
	*columnstore.Engine
	*exporterProcess
	root           *testing.T // that lasts as long as the engine
	program, state string
}

// startColumnstore starts an engine, and prepares what the exporter needs beside it.
func startColumnstore(t *testing.T) *columnstoreNode {
	t.Helper()
	n := &columnstoreNode{Engine: columnstore.Start(t), root: t, program: build(t), state: t.TempDir()}
	const account = "'columnstore_exporter'@'localhost'"
	n.Exec(t, "CREATE USER "+account+" IDENTIFIED BY 'secret'")
	n.Exec(t, ingest.Grants(account, "columnstore_exporter")...)
	n.Exec(t, ingest.ColumnStoreGrants(account)...)
	user := columnstore.User(t)
	if err := os.Chown(n.state, int(user.Uid), int(user.Gid)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(n.state), 0o711); err != nil { // where the program is, too
		t.Fatal(err)
	}
	return n
}

// command returns the exporter, to be run as the engine's user.
func (n *columnstoreNode) command(args ...string) *exec.Cmd {
	return columnstore.Command(n.root, n.state, n.program, args...)
}

// container returns the exporter, to be run as the first process of all that it sees.
func (n *columnstoreNode) container(args ...string) *exec.Cmd {
	unshare := []string{"--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "setpriv", "--reuid=mysql", "--regid=mysql", "--init-groups", n.program}
	return exec.CommandContext(n.root.Context(), "unshare", append(unshare, args...)...)
}

// exporter runs the exporter on what it finds by itself.
func (n *columnstoreNode) exporter(t testing.TB, cmd *exec.Cmd, env ...string) *exporterProcess {
	t.Helper()
	p := execute(t, cmd, fast(append(env, "STATE_DIR="+n.state, "INGEST_DSN="+n.DSN("columnstore_exporter", "secret"),
		"INGEST_INTERVAL=0", "INGEST_MAX_TABLE_ROWS=1000000", "LATENCY_TARGET=1m")...)...)
	p.patience = soon
	return p
}

// daemon starts the daemon, in the place of the one before, on behalf of a part of the test.
func (n *columnstoreNode) daemon(t testing.TB) {
	t.Helper()
	n.exporterProcess = n.exporter(n.root, n.command(), "LISTEN_ADDRESS="+testbed.FreeAddress(t))
	n.t = t
	n.eventually("the daemon answers", func() bool { return n.get("/-/healthy") == "healthy\n" })
}

// checkCommand asks for one measurement with one trial.
func checkCommand() []string {
	return []string{"check", "--json", "--count", "3", "--interval", "10ms", "--ingest", "1"}
}

// check returns the report of a check, which must end with that exit code.
func (n *columnstoreNode) check(wantCode int, cmd *exec.Cmd, env ...string) (r report.Report) {
	n.t.Helper()
	p := n.exporter(n.t, cmd, env...)
	p.wait(soon)
	if code := p.cmd.ProcessState.ExitCode(); code != wantCode {
		n.t.Errorf("exit code %d, want %d", code, wantCode)
	}
	if err := json.Unmarshal([]byte(p.output.String()), &r); err != nil {
		n.t.Fatalf("%v\n%s", err, p.output)
	}
	return r
}

// ask asks the daemon for a trial, and returns what became of it: a trial or the reason why there was none.
func (n *columnstoreNode) ask() (trial *status.Trial, skip string) {
	n.t.Helper()
	before := n.status().Ingest
	n.now()
	n.eventually("a trial or a reason", func() bool {
		now := n.status().Ingest
		if len(now.Trials) > len(before.Trials) {
			trial = &now.Trials[len(now.Trials)-1]
		}
		for reason, count := range now.Skipped {
			if count > before.Skipped[reason] {
				skip = reason
			}
		}
		return trial != nil || skip != ""
	})
	return trial, skip
}

// succeeds asks the daemon for a trial, which must succeed.
func (n *columnstoreNode) succeeds() {
	n.t.Helper()
	trial, skip := n.ask()
	if skip != "" {
		n.t.Fatalf("skipped as %s: %s", skip, n.status().Ingest.LastSkip)
	}
	if trial.Failure != "" {
		n.t.Fatalf("failed: %+v", *trial)
	}
	n.settled()
}

// skips asks the daemon for a trial, which must be skipped for that reason.
func (n *columnstoreNode) skips(want outcome.Skip) {
	n.t.Helper()
	counter := fmt.Sprintf("ingest_skipped_total{reason=%q}", want)
	before, _ := n.metric(counter)
	if trial, skip := n.ask(); skip != string(want) {
		n.t.Fatalf("trial %+v, skipped as %q: %s; want %s", trial, skip, n.status().Ingest.LastSkip, want)
	}
	n.expect(counter, is(before+1))
}

// absent waits until a series is gone.
func (n *columnstoreNode) absent(series string) {
	n.t.Helper()
	n.eventually("no "+series, func() bool {
		_, found := n.metric(series)
		return !found && n.get("/metrics") != ""
	})
}

// settled demands that nothing is left of an import but its rows.
func (n *columnstoreNode) settled() {
	n.t.Helper()
	if locks := columnstore.Locks(n.t); len(locks) > 0 {
		n.t.Errorf("locks: %+v", locks)
	}
	if entries := columnstore.Entries(n.t); entries > 0 {
		n.t.Errorf("%d entries in bulkRollback", entries)
	}
}
