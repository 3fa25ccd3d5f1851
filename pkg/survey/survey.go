//go:build linux

// Package survey measures every directory once: what check and targets do, beside the daemon or without one.
package survey

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// Patience is how long a survey waits beyond the planned time for storage that does not answer.
const Patience = 5 * time.Second

// Probes is what a survey asks of the worker processes.
type Probes interface {
	Inspect(ctx context.Context, t topology.Target) (topology.Facts, error)
	Latency(ctx context.Context, t topology.Target, spec latency.Spec, onSample func(latency.Sample)) (latency.Result, error)
	InFlight(t topology.Target) (worker.Operation, bool)
}

// Directory is one target, why it is one, and what a look at it told.
type Directory struct {
	topology.Planned
	Facts topology.Facts
}

// Inspect looks at all targets side by side, and waits for none longer than Patience.
func Inspect(ctx context.Context, probes Probes, targets []topology.Planned) []Directory {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	out := make([]Directory, len(targets))
	var all sync.WaitGroup
	for i, planned := range targets {
		all.Go(func() {
			out[i] = Directory{Planned: planned, Facts: inspect(ctx, probes, planned.Target)}
		})
	}
	all.Wait()
	return out
}

func inspect(ctx context.Context, probes Probes, t topology.Target) topology.Facts {
	facts, err := probes.Inspect(ctx, t)
	if err == nil {
		return facts
	}
	facts = topology.Facts{State: topology.StateUnknown, Reason: string(reason.Other), Error: err.Error()}
	if op, busy := probes.InFlight(t); busy {
		facts.Error = fmt.Sprintf("the storage does not answer: %s of %s has not come back for %s", op.Name, t.Directory, time.Since(op.Since).Round(time.Second))
	}
	return facts
}

// Measure runs spec on all directories side by side; tick is called for each finished request, and must not block. What
// was measured by the time that ctx ends is returned, and storage that does not answer is not waited for.
func Measure(ctx context.Context, probes Probes, directories []Directory, spec latency.Spec, tick func()) []Measured {
	planned := spec.Interval * time.Duration(spec.Count+spec.Commits)
	ctx, cancel := context.WithTimeout(ctx, planned+Patience)
	defer cancel()
	out := make([]Measured, len(directories))
	var all sync.WaitGroup
	for i, d := range directories {
		all.Go(func() { out[i] = measure(ctx, probes, d, spec, tick) })
	}
	all.Wait()
	return out
}

func measure(ctx context.Context, probes Probes, d Directory, spec latency.Spec, tick func()) Measured {
	m := Measured{Directory: d}
	if d.Facts.State != topology.StatePresent {
		return m
	}
	spec.Directory, spec.Mount = d.Target.Directory, d.Facts.Mount
	t := newTally()
	result, err := probes.Latency(ctx, d.Target, spec, func(s latency.Sample) {
		t.add(s)
		tick()
	})
	t.into(&m, result)
	if err != nil && ctx.Err() == nil {
		m.Result.Error = err.Error()
	}
	if op, busy := probes.InFlight(d.Target); busy {
		m.InFlight = &op
	}
	m.Tried = !errors.Is(ctx.Err(), context.Canceled) || m.begun()
	return m
}
