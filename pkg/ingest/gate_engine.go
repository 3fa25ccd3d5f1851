//go:build linux

package ingest

import (
	"context"
	"strings"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cpimport"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/transcript"
)

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
