//go:build linux

package monitor

import (
	"context"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// Visit calls visit for each directory that is there, one after the other, and skip with the reason (in_flight, mount,
// absent) for the others. Nobody else measures a directory while it is visited; a run under way is waited for, at most
// for patience.
func (m *Monitor) Visit(ctx context.Context, patience time.Duration, visit func(topology.Target, topology.Facts), skip func(t topology.Target, why reason.Skip)) {
	for _, d := range m.all() {
		if ctx.Err() != nil {
			return
		}
		d.visit(ctx, patience, visit, skip)
	}
}

func (d *directory) visit(ctx context.Context, patience time.Duration, visit func(topology.Target, topology.Facts), skip func(topology.Target, reason.Skip)) {
	if !d.take(ctx, patience) {
		if ctx.Err() == nil {
			skip(d.target, reason.SkipInFlight)
		}
		return
	}
	defer d.release()
	switch facts := d.known(); {
	case d.isLost():
		skip(d.target, reason.SkipMount)
	case facts.State == topology.StateAbsent:
		skip(d.target, reason.SkipAbsent)
	case facts.Mount.Device == "": // nobody has seen it yet
		skip(d.target, reason.SkipInFlight)
	default: // what is wrong with it shows in the failure
		visit(d.target, facts)
	}
}
