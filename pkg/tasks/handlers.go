//go:build linux

// Package tasks is what worker processes can do, told once for both sides: the handlers that run in a worker, and the
// Client by which the daemon asks for them.
package tasks

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// The names of the tasks.
const (
	taskDiscover = "discover"
	taskInspect  = "inspect"
	taskLatency  = "latency"
	taskOverhead = "overhead"
	taskEntries  = "entries"
	taskSpace    = "space"
	taskRemove   = "remove"
	taskStream   = "throughput"
	taskLayouts  = "layouts"
)

// overheadCalls is how many empty calls are timed for the measurement overhead.
const overheadCalls = 1001

// Handlers returns what a worker process can do. One set serves one process.
func Handlers() map[string]worker.Handler {
	h := &handlers{probers: make(map[string]*latency.Prober)}
	return map[string]worker.Handler{
		taskDiscover: h.discover,
		taskInspect:  inspect,
		taskLatency:  h.latency,
		taskOverhead: overhead,
		taskEntries:  entries,
		taskSpace:    space,
		taskRemove:   remove,
		taskStream:   stream,
		taskLayouts:  layouts,
	}
}

// handlers keeps what outlives a task: a target's prober goes on where its last run ended.
type handlers struct {
	mu         sync.Mutex
	discoverer *topology.Discoverer
	probers    map[string]*latency.Prober
}

func decode[T any](task worker.Task) (T, error) {
	var params T
	if err := json.Unmarshal(task.Params, &params); err != nil {
		return params, fmt.Errorf("read the parameters of task %s: %w", task.Name, err)
	}
	return params, nil
}

func (h *handlers) discover(_ context.Context, task worker.Task) (any, error) {
	sources, err := decode[topology.Sources](task)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	if h.discoverer == nil {
		h.discoverer = topology.NewDiscoverer(sources)
	}
	d := h.discoverer
	h.mu.Unlock()
	return d.Discover(task.Reporter.Operation), nil
}

func inspect(_ context.Context, task worker.Task) (any, error) {
	target, err := decode[topology.Target](task)
	if err != nil {
		return nil, err
	}
	return topology.Inspect(target, task.Reporter.Operation), nil
}

func (h *handlers) latency(ctx context.Context, task worker.Task) (any, error) {
	spec, err := decode[latency.Spec](task)
	if err != nil {
		return nil, err
	}
	return h.prober(task.Target).Run(ctx, spec, &observer{reporter: task.Reporter, codec: newCodec()}), nil
}

func (h *handlers) prober(target string) *latency.Prober {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.probers[target]
	if p == nil {
		p = new(latency.Prober)
		h.probers[target] = p
	}
	return p
}

func overhead(context.Context, worker.Task) (any, error) { return latency.Overhead(overheadCalls), nil }

// observer passes on what a run tells. It does not allocate.
type observer struct {
	reporter worker.Reporter
	codec    codec
	buf      [sampleSize]byte
}

func (o *observer) Operation(name string, at latency.Instant) { o.reporter.Operation(name, int64(at)) }

func (o *observer) Sample(s latency.Sample) { o.reporter.Event(o.codec.encode(&o.buf, s)) }
