//go:build linux

package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cpimport"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/cptest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/mariadb"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/transcript"
)

// room is how many times the size of the CSV must be free besides: the engine keeps copies for a rollback, and extends
// its files in steps.
const room = 20

// gate makes sure that a trial neither meets trouble nor makes some. It changes nothing but the CSV. On success the
// session is open.
func (t *trial) gate(ctx context.Context) (skip *Skip) {
	t.o.OnPhase(PhaseGate)
	defer func() {
		if skip != nil {
			t.hangUp()
		}
	}()
	for _, step := range []func(context.Context) *Skip{
		t.noLeftover, t.open, t.writable, t.engineReady, t.noLocks, t.noOtherImport, t.ownTable, t.replicas, t.countable, t.space, t.data,
	} {
		if skip := step(ctx); skip != nil {
			return skip
		}
	}
	return nil
}

// hangUp ends the session, if there is one.
func (t *trial) hangUp() {
	if t.session != nil {
		t.session.Close()
		t.session = nil
	}
}

func skipped(reason outcome.Skip, format string, args ...any) *Skip {
	return &Skip{reason, fmt.Sprintf(format, args...)}
}

// skipSQL tells what a question that failed means.
func skipSQL(err error) *Skip {
	if mariadb.IsLocked(err) {
		return &Skip{outcome.SkipLocked, err.Error()}
	}
	return &Skip{outcome.SkipSQL, err.Error()}
}

// skipState tells what trouble with the state directory means.
func skipState(err error) *Skip {
	switch {
	case errors.Is(err, errInUse):
		return &Skip{outcome.SkipInFlight, err.Error()}
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return &Skip{outcome.SkipDiskSpace, err.Error()}
	default:
		return &Skip{outcome.SkipCSV, err.Error()}
	}
}

// noLeftover looks for the import that an earlier process has started.
func (t *trial) noLeftover(context.Context) *Skip {
	earlier := t.remembered().Import
	if earlier == nil {
		return nil
	}
	if earlier.Alive() {
		return skipped(outcome.SkipLeftover, "the cpimport of an earlier trial still runs as process %d", earlier.PID)
	}
	t.note(func(m *memory) { m.Import = nil })
	return nil
}

func (t *trial) open(ctx context.Context) *Skip {
	session, err := t.server.Open(ctx)
	if err != nil {
		return skipSQL(err)
	}
	t.session = session
	if t.facts, err = session.Facts(ctx); err != nil {
		return skipSQL(err)
	}
	if !t.facts.ColumnStore {
		t.sayPlain()
	}
	return nil
}

func (t *trial) writable(context.Context) *Skip {
	if t.facts.ReadOnly {
		return skipped(outcome.SkipReadOnly, "the server has read_only set")
	}
	return nil
}

func (t *trial) engineReady(ctx context.Context) *Skip {
	if !t.facts.ColumnStore {
		return nil
	}
	system, err := t.session.System(ctx)
	switch {
	case err != nil:
		return skipSQL(err)
	case !system.Ready:
		return skipped(outcome.SkipNotReady, "mcsSystemReady() is 0")
	case system.ReadOnly == 1:
		return skipped(outcome.SkipSuspended, "mcsSystemReadOnly() is 1: writes are suspended")
	case system.ReadOnly != 0:
		return skipped(outcome.SkipReadOnly, "mcsSystemReadOnly() is %d", system.ReadOnly)
	case !system.Primary:
		return skipped(outcome.SkipNotPrimary, "mcsSystemPrimary() is 0: the primary node runs the trials")
	}
	return nil
}

// noLocks demands that no ColumnStore table is locked: an import of somebody else runs, or a backup waits for the last one
// to end.
func (t *trial) noLocks(ctx context.Context) *Skip {
	if !t.facts.ColumnStore {
		return nil
	}
	locks, err := t.session.Locks(ctx, t.table)
	if err != nil {
		return skipSQL(err)
	}
	for _, lock := range locks {
		if t.isLeftover(lock) {
			return skipped(outcome.SkipLeftover, "the lock %d of %s is held by %s, process %d, which is gone: see cleartablelock",
				lock.ID, lock.Table, lock.Process, lock.PID)
		}
	}
	if len(locks) > 0 {
		return skipped(outcome.SkipLocked, "%s is locked by %s, process %d", locks[0].Table, locks[0].Process, locks[0].PID)
	}
	return nil
}

// isLeftover tells whether a lock was left on the trial's own table by an import that is gone.
func (t *trial) isLeftover(lock transcript.Lock) bool {
	return t.isOwn(lock) && strings.HasPrefix(lock.Process, "cpimport") && !cpimport.Exists(lock.PID)
}

func (r *Runner) isOwn(lock transcript.Lock) bool {
	return strings.EqualFold(lock.Table, r.table.String())
}

func (t *trial) noOtherImport(context.Context) *Skip {
	if !t.facts.ColumnStore {
		return nil
	}
	running, err := cpimport.Running()
	if err != nil {
		return skipped(outcome.SkipOtherImport, "%v", err)
	}
	if len(running) > 0 {
		return skipped(outcome.SkipOtherImport, "cpimport runs as process %d", running[0])
	}
	return nil
}

// ownTable demands that the table is the trial's own, as the trial made it, or is not there.
func (t *trial) ownTable(ctx context.Context) *Skip {
	d, found, err := t.session.Describe(ctx, t.table)
	if err != nil {
		return skipSQL(err)
	}
	if t.found = found; !found {
		return t.engineTakesName()
	}
	want := t.engine()
	switch {
	case d.Kind != "BASE TABLE":
		return skipped(outcome.SkipTableShape, "%s is not a table but a %s", t.table, d.Kind)
	case d.Comment != cptest.Comment:
		return skipped(outcome.SkipTableShape, "%s is somebody else's: its comment is not %q", t.table, cptest.Comment)
	case !strings.EqualFold(d.Engine, want):
		return skipped(outcome.SkipTableShape, "%s has the engine %s, want %s: drop it or name another", t.table, d.Engine, want)
	}
	if err := cptest.Compare(d.Columns); err != nil {
		return skipped(outcome.SkipTableShape, "%s: %v: drop it or name another", t.table, err)
	}
	return t.engineTakesName()
}

// engineTakesName refuses names that the engine's own import cannot be given; LOAD DATA uses it, too.
func (t *trial) engineTakesName() *Skip {
	if !t.onColumnStore() {
		return nil
	}
	for _, name := range []string{t.o.Database, t.o.Table} {
		if err := cpimport.CheckName(name); err != nil {
			return skipped(outcome.SkipTableShape, "%v", err)
		}
	}
	return nil
}

// engine returns the engine that the table has to have.
func (t *trial) engine() string {
	switch {
	case !strings.EqualFold(t.o.Engine, EngineAuto):
		return t.o.Engine
	case t.facts.ColumnStore:
		return columnStore
	default:
		return t.facts.DefaultEngine
	}
}

// columnStore is the engine's name in statements.
const columnStore = "ColumnStore"

// onColumnStore tells whether the table is one of ColumnStore's.
func (t *trial) onColumnStore() bool { return strings.EqualFold(t.engine(), columnStore) }

// replicas keeps the trial's changes from replicas that could not follow: InnoDB takes the 250 columns only while its
// strict mode is off, which replicas are not told, and a replica that refuses a statement stops.
func (t *trial) replicas(ctx context.Context) *Skip {
	if !strings.EqualFold(t.engine(), "InnoDB") || !t.facts.LogBin {
		return nil
	}
	left, err := t.session.LeaveBinlog(ctx)
	if err != nil {
		return skipSQL(err)
	}
	if !left {
		return skipped(outcome.SkipSQL, "the server writes a binary log, out of which trials on InnoDB must stay: grant BINLOG ADMIN to the user")
	}
	return nil
}

// countable counts the rows, which also tells whether somebody holds a lock of the server's on the table.
func (t *trial) countable(ctx context.Context) (skip *Skip) {
	if !t.found {
		return nil
	}
	rows, err := t.session.Count(ctx, t.table)
	if err != nil {
		return skipSQL(err)
	}
	t.result.TableRows = rows
	return nil
}
