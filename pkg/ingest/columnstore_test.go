//go:build linux && columnstore

package ingest_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/cpimport"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/transcript"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest"
)

func TestColumnStoreSeedAndFiveTrials(t *testing.T) {
	e := startEngine(t)
	e.exec(t, "DROP TABLE IF EXISTS "+engineTable)
	before := ownership(t)
	r := e.runner(t)
	for i := range int64(5) {
		trial, skip := r.Trial(t.Context())
		if skip != nil || trial.Failure != "" {
			t.Fatalf("trial %d: %+v, skip %+v", i, trial, skip)
		}
		if trial.Method != ingest.MethodCpimport || trial.Rows != 10_000 || trial.TableRows != (i+2)*10_000 {
			t.Errorf("trial %d: %+v", i, *trial)
		}
		steps := slices.Sorted(maps.Keys(trial.Steps))
		sum := trial.Steps["job_load"] + trial.Steps["preprocess"] + trial.Steps["load"]
		if !slices.Equal(steps, []string{"job_load", "load", "preprocess", "total"}) || sum > trial.Steps["total"]*1.001 ||
			trial.Seconds < trial.Steps["total"] || trial.Steps["preprocess"] <= 0 {
			t.Errorf("trial %d took %v s with the steps %v", i, trial.Seconds, trial.Steps)
		}
		t.Logf("%.1f s: %v", trial.Seconds, trial.Steps)
	}
	if rows := e.rows(t); rows != 60_000 {
		t.Errorf("%d rows after a seed and five trials, want 60000", rows)
	}
	if n := rollbackEntries(t); n != 0 || len(locks(t)) != 0 {
		t.Errorf("left: %d entries in bulkRollback, locks %v", n, locks(t))
	}
	if info, err := os.Stat(jobLog); err != nil || info.Size() > 1<<20 {
		t.Errorf("the log of the last trial, and of it alone, is to be there: %v (%v)", info, err)
	}
	compareOwnership(t, before, ownership(t))
}

// ownership returns who owns the files of the engine, and their modes.
func ownership(t *testing.T) map[string]string {
	t.Helper()
	owned := map[string]string{}
	for _, root := range []string{"/var/lib/columnstore", "/etc/columnstore", "/var/log/mariadb/columnstore"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // it has just gone
			}
			info, err := entry.Info()
			if err != nil {
				return nil //nolint:nilerr // as above
			}
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				owned[path] = fmt.Sprintf("%d:%d %v", st.Uid, st.Gid, info.Mode())
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return owned
}

func compareOwnership(t *testing.T, before, after map[string]string) {
	t.Helper()
	mysql, _, _ := strings.Cut(before["/var/lib/columnstore/data1"], " ")
	for path, now := range after {
		if was, found := before[path]; found && was != now {
			t.Errorf("%s is now %s, was %s", path, now, was)
		} else if !found && !ours(path) && !strings.HasPrefix(now, mysql) {
			t.Errorf("%s is new and %s, want the owner %s", path, now, mysql)
		}
	}
}

func TestColumnStoreShowsAnImportUnderWay(t *testing.T) {
	e := startEngine(t)
	e.succeed(t)
	var entries int
	var h ingest.Database
	r := e.runner(t)
	e.o.OnInFlight = func(started time.Time) {
		if !started.IsZero() {
			await(t, "an entry in bulkRollback", func() bool { return rollbackEntries(t) > 0 })
			entries, h = rollbackEntries(t), r.Health(t.Context())
		}
	}
	e.succeed(t)
	if after := rollbackEntries(t); entries != 1 || after != 0 {
		t.Errorf("%d entries in bulkRollback during the import, %d after it", entries, after)
	}
	if !h.Up || h.Error != "" || !h.ColumnStore || !*h.Ready || *h.ReadOnly != 0 || !*h.Primary || *h.TableLocks != 1 || !*h.TableLocked {
		t.Errorf("health during the import: %+v", h)
	}
	if h := e.runner(t).Health(t.Context()); *h.TableLocks != 0 || *h.TableLocked {
		t.Errorf("health after the import: %+v", h)
	}
}

func TestColumnStoreLoadData(t *testing.T) {
	e := startEngine(t)
	e.o.Method = ingest.MethodLoadData
	if trial := e.succeed(t); trial.Method != ingest.MethodLoadData || trial.Steps != nil {
		t.Errorf("trial %+v", *trial)
	}
	before := e.rows(t)
	e.o.Timeout = 3 * time.Second
	trial, skip := e.trial(t)
	if skip != nil {
		t.Fatalf("skipped: %+v", *skip)
	}
	if rows := e.rows(t); (trial.Failure != outcome.Timeout && trial.Failure != "") || rows < before || rows > before+10_000 || len(locks(t)) != 0 {
		t.Errorf("after %+v %d rows, %d before, locks %v", *trial, rows, before, locks(t))
	}
}

func TestColumnStoreRefusesNames(t *testing.T) {
	e := startEngine(t)
	e.o.Table = "cp test"
	e.skip(t, outcome.SkipTableShape)
	e.o.Method, e.o.Table = ingest.MethodLoadData, "-h"
	e.skip(t, outcome.SkipTableShape)
}

// A stopped import holds its table's lock: on the trial's own table and on another's.
func TestColumnStoreLockOfAStoppedImport(t *testing.T) {
	e := startEngine(t)
	e.succeed(t)
	e.exec(t, "CREATE DATABASE IF NOT EXISTS others", "DROP TABLE IF EXISTS others.t", "CREATE TABLE others.t (a INT) ENGINE=ColumnStore")
	for _, table := range []string{engineTable, "others.t"} {
		database, name, _ := strings.Cut(table, ".")
		stopped := exec.CommandContext(t.Context(), "cpimport", "-m", "3", database, name)
		stopped.Dir = t.TempDir()
		input, err := stopped.StdinPipe() // as long as it is open, the import goes on
		if err != nil {
			t.Fatal(err)
		}
		if err := stopped.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, "the lock", func() bool { return len(locks(t)) == 1 })
		if err := stopped.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		e.skip(t, outcome.SkipLocked)
		if h := e.runner(t).Health(t.Context()); *h.TableLocks != 1 || *h.TableLocked != (table == engineTable) {
			t.Errorf("%s is locked: health %+v", table, h)
		}
		if err := stopped.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		_ = input.Close()
		if err := stopped.Wait(); err != nil {
			t.Errorf("the import that was stopped: %v", err)
		}
	}
	e.succeed(t)
}

func TestColumnStoreOtherImport(t *testing.T) {
	e := startEngine(t)
	other := cpimporttest.New(t, "cpimport", cpimporttest.Plan{Hang: true})
	command := exec.CommandContext(t.Context(), other.Path)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	other.Await(t, 1)
	e.skip(t, outcome.SkipOtherImport)
	_ = command.Process.Signal(syscall.SIGTERM)
	_ = command.Wait()
}

func TestColumnStoreReadOnly(t *testing.T) {
	e := startEngine(t)
	tool(t, "dbrmctl", "readonly")
	e.skip(t, outcome.SkipReadOnly)
	if h := e.runner(t).Health(t.Context()); !*h.Ready || *h.ReadOnly != 2 {
		t.Errorf("health of a read-only system: %+v", h)
	}
	tool(t, "dbrmctl", "readwrite")
	e.succeed(t)
}

func TestColumnStoreNotPrimary(t *testing.T) {
	const path = "/etc/columnstore/Columnstore.xml"
	e := startEngine(t)
	config, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(config string) { // in place: owner and mode stay
		if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { write(string(config)) })
	write(strings.ReplaceAll(string(config), "<PrimaryUMModuleName>pm1<", "<PrimaryUMModuleName>pm2<"))
	e.skip(t, outcome.SkipNotPrimary)
	if h := e.runner(t).Health(t.Context()); !*h.Ready || *h.Primary {
		t.Errorf("health of a node that is not the primary: %+v", h)
	}
	write(string(config))
	if h := e.runner(t).Health(t.Context()); !*h.Primary {
		t.Errorf("health of the primary: %+v", h)
	}
}

func TestColumnStoreStopsAndStarts(t *testing.T) {
	e := startEngine(t)
	r := e.runner(t)
	signalProcess(t, "controllernode", syscall.SIGTERM)
	await(t, "the system to be not ready", func() bool {
		h := r.Health(t.Context())
		return h.Up && h.Ready != nil && !*h.Ready
	})
	e.skip(t, outcome.SkipNotReady)
	bedCommand(t, "stop")
	e.skip(t, outcome.SkipSQL)
	await(t, "the server to be down", func() bool { return !r.Health(t.Context()).Up })
	e = startEngine(t)
	await(t, "the server to be up", func() bool { h := r.Health(t.Context()); return h.Up && *h.Ready })
	e.succeed(t)
}

// Questions to an engine without PrimProc can hang, and one that is not asked makes the server abort.
func TestColumnStoreWithoutPrimProc(t *testing.T) {
	e := startEngine(t)
	server := processes(t, "mariadbd")
	signalProcess(t, "PrimProc", syscall.SIGKILL)
	e.skip(t, outcome.SkipSQL)
	if h := e.runner(t).Health(t.Context()); !h.Up || h.Error == "" || h.TableLocks != nil {
		t.Errorf("health without PrimProc: %+v", h)
	}
	if now := processes(t, "mariadbd"); !slices.Equal(now, server) {
		t.Errorf("the server has ended: it was process %v, is %v", server, now)
	}
	bedCommand(t, "stop")
	startEngine(t).succeed(t)
}

// processes returns the engine's processes of that name.
func processes(t *testing.T, name string) (pids []int) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "pgrep", "-u", "mysql", "-x", name).Output()
	if err != nil {
		t.Fatalf("find %s: %v", name, err)
	}
	for word := range strings.FieldsSeq(string(output)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

func signalProcess(t *testing.T, name string, signal syscall.Signal) {
	t.Helper()
	for _, pid := range processes(t, name) {
		if err := syscall.Kill(pid, signal); err != nil {
			t.Fatal(err)
		}
	}
}

func TestColumnStoreTimeout(t *testing.T) {
	e := startEngine(t)
	e.succeed(t)
	before := e.rows(t)
	e.o.Timeout = time.Second
	trial, skip := e.trial(t)
	if skip != nil || trial.Failure != outcome.Timeout || e.rows(t) != before || len(locks(t)) != 0 {
		t.Errorf("trial %+v, skip %+v, %d rows, %d before, locks %v", trial, skip, e.rows(t), before, locks(t))
	}
}

func TestColumnStoreOutlivesTheExporter(t *testing.T) {
	e := startEngine(t)
	e.succeed(t)
	before := e.rows(t)
	exporter := exec.CommandContext(t.Context(), os.Args[0], exporterMark, e.o.StateDir)
	exporter.Stderr = os.Stderr
	if err := exporter.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "an entry in bulkRollback", func() bool { return rollbackEntries(t) > 0 })
	if err := exporter.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := exporter.Wait(); err != nil {
		t.Errorf("the exporter: %v", err)
	}
	e.skip(t, outcome.SkipLeftover)
	await(t, "the import to end", func() bool {
		running, err := cpimport.Running()
		return err == nil && len(running) == 0
	})
	if rows := e.rows(t); len(locks(t)) != 0 || (rows != before && rows != before+10_000) {
		t.Errorf("locks %v, %d rows, %d before", locks(t), rows, before)
	}
	e.succeed(t)
}

func TestColumnStoreKilledImport(t *testing.T) {
	e := startEngine(t)
	e.succeed(t)
	before := e.rows(t)
	e.o.OnInFlight = func(started time.Time) {
		if !started.IsZero() {
			await(t, "an entry in bulkRollback", func() bool { return rollbackEntries(t) > 0 })
			killHolders(t, locks(t))
		}
	}
	trial, skip := e.trial(t)
	if skip != nil || trial.Failure != outcome.Killed {
		t.Fatalf("trial %+v, skip %+v, want failure killed", trial, skip)
	}
	e.o.OnInFlight = nil
	for range 2 {
		e.skip(t, outcome.SkipLeftover)
	}
	if h := e.runner(t).Health(t.Context()); *h.TableLocks != 1 || !*h.TableLocked {
		t.Errorf("health: %+v", h)
	}
	if n := rollbackEntries(t); n != 1 {
		t.Errorf("%d entries in bulkRollback, want the one that was left", n)
	}
	for _, lock := range locks(t) {
		tool(t, "cleartablelock", strconv.FormatInt(lock.ID, 10))
	}
	if rows, n := e.rows(t), rollbackEntries(t); rows != before || n != 0 {
		t.Errorf("after the clearing: %d rows, %d before, %d entries in bulkRollback", rows, before, n)
	}
	e.succeed(t)
}

// killHolders kills the holders of locks.
func killHolders(t *testing.T, locks []transcript.Lock) {
	t.Helper()
	for _, lock := range locks {
		if err := syscall.Kill(lock.PID, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
}
