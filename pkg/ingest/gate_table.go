//go:build linux

package ingest

import (
	"context"
	"strings"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cpimport"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/cptest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
)

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
