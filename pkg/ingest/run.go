//go:build linux

package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/mariadb"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/transcript"
)

// run does what the gate has found to be safe. The result tells how it went.
func (t *trial) run(ctx context.Context) {
	defer t.hangUp()
	t.prune(ctx)
	t.result.Method = t.method()
	if err := t.makeTable(ctx); err != nil {
		t.fail(failureOf(err), err)
		return
	}
	if t.result.TableRows == 0 {
		t.o.OnPhase(PhaseSeed)
		t.load(ctx)
		if t.result.Failure != "" {
			t.result.Error = "untimed first import: " + t.result.Error
			return
		}
	}
	t.o.OnPhase(PhaseImport)
	t.load(ctx)
}

// makeTable sees to a table that has room. A table that is full enough is made anew; the gate has seen that it is ours.
func (t *trial) makeTable(ctx context.Context) error {
	full := t.found && t.result.TableRows >= t.o.MaxTableRows
	if t.found && !full {
		return nil
	}
	t.o.OnPhase(PhaseTable)
	ctx, cancel := context.WithTimeout(ctx, t.o.Timeout)
	defer cancel()
	if full {
		if err := t.session.Drop(ctx, t.table); err != nil {
			return err
		}
		t.result.TableRows = 0
	}
	return t.session.Create(ctx, t.table, t.engine())
}

// load imports the CSV once and verifies that the table has grown by exactly its rows.
func (t *trial) load(ctx context.Context) {
	before := t.result.TableRows
	t.result.Seconds, t.result.Steps, t.result.Warnings = 0, nil, nil // of the first, untimed import
	t.importRows(ctx)
	if t.result.Failure != "" {
		return
	}
	t.o.OnPhase(PhaseVerify)
	after, err := t.count(ctx)
	if err != nil {
		t.fail(failureOf(err), err)
		return
	}
	t.result.TableRows = after
	if grown := after - before; grown != t.o.Rows {
		t.fail(outcome.RowCount, fmt.Errorf("the table has grown by %d rows, want %d", grown, t.o.Rows))
		return
	}
	t.result.Rows, t.result.Bytes = t.o.Rows, t.content.Bytes
}

// count counts the rows, in a new session: an import leaves none open.
func (t *trial) count(ctx context.Context) (int64, error) {
	if t.session == nil {
		session, err := t.server.Open(ctx)
		if err != nil {
			return 0, err
		}
		t.session = session
	}
	return t.session.Count(ctx, t.table)
}

// fail notes why the trial has failed.
func (t *trial) fail(reason outcome.Failure, err error) {
	t.result.Failure, t.result.Error = reason, err.Error()
	t.result.Rows, t.result.Bytes = 0, 0
}

// failureOf tells what an error of SQL means.
func failureOf(err error) outcome.Failure {
	switch {
	case errors.Is(err, mariadb.ErrCSV):
		return outcome.CSV
	case mariadb.IsTimeout(err), errors.Is(err, context.DeadlineExceeded):
		return outcome.Timeout
	case mariadb.IsLocked(err):
		return outcome.Locked
	case mariadb.IsInterrupted(err):
		return outcome.Killed
	case mariadb.IsReadOnly(err):
		return outcome.ReadOnly
	case mariadb.IsDenied(err):
		return outcome.Permission
	case mariadb.IsNoTable(err):
		return outcome.TableShape
	case mariadb.IsRejected(err):
		return outcome.Rejected
	}
	if cause := transcript.CauseOf(err.Error()); cause != "" && mariadb.Number(err) != 0 {
		return cause // ColumnStore's own words, with a number that says little
	}
	return outcome.SQL
}
