//go:build linux

package ingest

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/mariadb"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
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
