//go:build linux

package tasks

import (
	"context"
	"fmt"
	"os"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/monotonic"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// Layouts reads the operator's own reference layouts, in the worker of the configuration.
func (c *Client) Layouts(ctx context.Context, path string) ([]baseline.Layout, error) {
	return ask[[]baseline.Layout](ctx, c.pool, worker.Request{Worker: configuration, Target: taskLayouts, Task: taskLayouts, Params: path})
}

func layouts(_ context.Context, task worker.Task) (any, error) {
	path, err := decode[string](task)
	if err != nil {
		return nil, err
	}
	task.Reporter.Operation("open", monotonic.Now())
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read layouts: %w", err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	return baseline.Parse(path, file)
}
