//go:build linux

package ingest

import (
	"context"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cptest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
)

// describe computes once what the CSV must hold.
func (r *Runner) describe(ctx context.Context) (cptest.Content, error) {
	r.mu.Lock()
	known := r.content
	r.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	content, err := cptest.Describe(ctx, r.o.Rows)
	if err != nil {
		return content, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.content = &content
	return content, nil
}

// space demands room for the CSV and for what the engine makes of it, where the CSV is and where the DBroots are.
func (t *trial) space(ctx context.Context) *Skip {
	content, err := t.describe(ctx)
	if err != nil {
		return skipState(err)
	}
	t.content = content
	free, err := t.state.free()
	if err != nil {
		return skipState(err)
	}
	if need := (room + 1) * content.Bytes; free < need {
		return skipped(outcome.SkipDiskSpace, "%d bytes are free in %s, want %d", free, t.state, need)
	}
	if t.o.DataFree == nil || !t.facts.ColumnStore {
		return nil
	}
	if free, err = t.o.DataFree(ctx); err != nil {
		return skipped(outcome.SkipDiskSpace, "free space of the DBroots: %v", err)
	}
	if need := room * content.Bytes; free < need {
		return skipped(outcome.SkipDiskSpace, "%d bytes are free on a DBroot, want %d", free, need)
	}
	return nil
}

// data makes sure that the CSV is there and whole.
func (t *trial) data(ctx context.Context) *Skip {
	path := t.o.cpimport().File
	whole, err := cptest.Verify(path, t.content)
	if err == nil && !whole {
		err = cptest.Save(ctx, path, t.o.Rows)
	}
	if err != nil {
		return skipState(err)
	}
	return nil
}
