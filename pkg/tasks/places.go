//go:build linux

package tasks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/monotonic"
	"github.com/columnstore/columnstore_exporter/pkg/scratch"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// Place is a target on the mount where it was found.
type Place struct {
	Target topology.Target `json:"target"`
	Mount  topology.Mount  `json:"mount"`
}

// visit opens the place for what follows, and tells of each operation.
func visit(task worker.Task, do func(Place, *scratch.Dir) (any, error)) (any, error) {
	p, err := decode[Place](task)
	if err != nil {
		return nil, err
	}
	announce := func(operation string) { task.Reporter.Operation(operation, monotonic.Now()) }
	dir, err := scratch.Open(announce, p.Target.Directory, "", p.Mount)
	if err != nil {
		return nil, err
	}
	result, err := do(p, dir)
	return result, errors.Join(err, dir.Close())
}

func entries(_ context.Context, task worker.Task) (any, error) {
	return visit(task, func(_ Place, dir *scratch.Dir) (any, error) {
		task.Reporter.Operation("readdir", monotonic.Now())
		return ingest.CountBulkRollbackEntries(fmt.Sprintf("/proc/self/fd/%d", dir.Fd())) // the directory that was checked
	})
}

func space(_ context.Context, task worker.Task) (any, error) {
	return visit(task, func(_ Place, dir *scratch.Dir) (any, error) {
		_, available, err := dir.Space()
		return available, err
	})
}

func remove(_ context.Context, task worker.Task) (any, error) {
	paths, err := decode[[]string](task)
	if err != nil {
		return nil, err
	}
	var wrong []error
	for _, path := range paths {
		task.Reporter.Operation("unlink", monotonic.Now())
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			wrong = append(wrong, fmt.Errorf("remove: %w", err))
		}
	}
	return struct{}{}, errors.Join(wrong...)
}
