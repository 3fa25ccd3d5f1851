//go:build linux

package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// configuration is the worker that reads Columnstore.xml and the module file, and the target that stands for them.
const configuration = "configuration"

// measuring is the worker that measures what the measurement itself costs.
const measuring = "overhead"

// Pool is the part of worker.Pool that a Client needs.
type Pool interface {
	Do(ctx context.Context, req worker.Request) (json.RawMessage, error)
	InFlight(target string) (worker.Operation, bool)
	Retain(names []string)
}

// Client asks worker processes for tasks. It touches nothing but /proc and /sys itself.
type Client struct {
	// Grace is how long a run that is stopped is waited for, that it may tell what it has measured.
	Grace time.Duration

	pool    Pool
	sources topology.Sources
	codec   codec
}

// NewClient returns a client that discovers from the given sources.
func NewClient(pool Pool, sources topology.Sources) *Client {
	return &Client{pool: pool, sources: sources, codec: newCodec()}
}

// ConfigurationPatience is how long the storage under the configuration may take to give it up.
const ConfigurationPatience = 5 * time.Second

// errConfiguration says that nobody knows what the configuration is.
var errConfiguration = errors.New("the configuration cannot be read: its storage does not answer")

// Discover reads the configuration in a worker of its own, and waits for it no longer than ConfigurationPatience. With an
// error it may still return a part.
func (c *Client) Discover(ctx context.Context) (topology.Topology, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, ConfigurationPatience, errConfiguration)
	defer cancel()
	found, err := ask[topology.Topology](ctx, c.pool, worker.Request{
		Worker: configuration, Target: configuration, Task: taskDiscover, Params: c.sources,
	})
	switch {
	case err != nil && ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.Is(err, worker.ErrInFlight):
		err = errConfiguration
	case err == nil && found.Error != "":
		err = errors.New(found.Error)
	}
	return found, err
}

// Inspect looks at the target's directory in the worker of the mount that its path lies on.
func (c *Client) Inspect(ctx context.Context, t topology.Target) (topology.Facts, error) {
	mounts, err := topology.ReadMounts()
	if err != nil {
		return topology.Facts{}, fmt.Errorf("find the mount of %s: %w", t.Directory, err)
	}
	row, ok := mounts.Lexical(t.Directory)
	if !ok {
		return topology.Facts{}, fmt.Errorf("find the mount of %s: none covers it", t.Directory)
	}
	return ask[topology.Facts](ctx, c.pool, worker.Request{Worker: row.Device, Target: t.Key(), Task: taskInspect, Params: t})
}

// Latency does one run in the worker of the mount that spec names, which a symlink may have led to.
func (c *Client) Latency(ctx context.Context, t topology.Target, spec latency.Spec, onSample func(latency.Sample)) (latency.Result, error) {
	return ask[latency.Result](ctx, c.pool, worker.Request{
		Worker: spec.Mount.Device, Target: t.Key(), Task: taskLatency, Params: spec, Grace: c.Grace,
		OnEvent: func(payload []byte) {
			if s, err := c.codec.decode(payload); err == nil {
				onSample(s)
			}
		},
	})
}

// Entries counts the tables that have an entry in a bulkRollback directory.
func (c *Client) Entries(ctx context.Context, p Place) (int, error) {
	return ask[int](ctx, c.pool, worker.Request{Worker: p.Mount.Device, Target: p.Target.Key(), Task: taskEntries, Params: p})
}

// freePatience is how long the storage may take to tell its free space.
const freePatience = 10 * time.Second

// Free returns the free bytes of the fullest of the file systems under the places. It gives up on storage that does not
// answer.
func (c *Client) Free(ctx context.Context, places []Place) (int64, error) {
	if len(places) == 0 {
		return 0, errors.New("find the free space: no DBroot is there")
	}
	ctx, cancel := context.WithTimeout(ctx, freePatience)
	defer cancel()
	least := int64(math.MaxInt64)
	for _, p := range places {
		free, err := ask[int64](ctx, c.pool, worker.Request{Worker: p.Mount.Device, Target: spaceKey(p.Target), Task: taskSpace, Params: p})
		if err != nil {
			return 0, fmt.Errorf("find the free space of %s: %w", p.Target.Directory, err)
		}
		least = min(least, free)
	}
	return least, nil
}

// spaceKey stands for the target when its free space is asked for, which does not wait for a latency run to end.
func spaceKey(t topology.Target) string { return t.Key() + "\x00" + taskSpace }

// Remove removes files of the exporter's own that lie elsewhere than in its state directory. Some may be gone.
func (c *Client) Remove(ctx context.Context, paths []string) error {
	_, err := ask[struct{}](ctx, c.pool, worker.Request{Worker: configuration, Target: taskRemove, Task: taskRemove, Params: paths})
	return err
}

// Overhead is the median cost of timing an empty call in a worker.
func (c *Client) Overhead(ctx context.Context) (time.Duration, error) {
	return ask[time.Duration](ctx, c.pool, worker.Request{Worker: measuring, Target: measuring, Task: taskOverhead})
}

// InFlight tells from memory which operation is under way on the target's path: the oldest, where there are two.
func (c *Client) InFlight(t topology.Target) (worker.Operation, bool) {
	op, busy := c.pool.InFlight(t.Key())
	if asked, also := c.pool.InFlight(spaceKey(t)); also && (!busy || asked.Since.Before(op.Since)) {
		return asked, true
	}
	return op, busy
}

// Retain lets the workers end that serve none of these places: neither the mount that its path lies on, whose worker
// resolves it, nor the one that a symlink has led to.
func (c *Client) Retain(places []Place) {
	mounts, err := topology.ReadMounts()
	if err != nil {
		return // the next call will do
	}
	names := []string{configuration}
	for _, p := range places {
		names = append(names, p.Mount.Device)
		if row, ok := mounts.Lexical(p.Target.Directory); ok {
			names = append(names, row.Device)
		}
	}
	c.pool.Retain(names)
}

// ask has a task done and reads its result.
func ask[T any](ctx context.Context, pool Pool, req worker.Request) (T, error) {
	var result T
	raw, err := pool.Do(ctx, req)
	if err != nil {
		return result, err
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return result, fmt.Errorf("read the result of task %s: %w", req.Task, err)
	}
	return result, nil
}
