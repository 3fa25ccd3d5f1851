//go:build linux

package monitor

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/tasks"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// take waits for the directory's turn.
func (d *directory) take(ctx context.Context, patience time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case d.turn <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (d *directory) release() { <-d.turn }

// inspectBetweenRuns looks at the directory unless a run is under way, which looks for itself.
func (d *directory) inspectBetweenRuns(ctx context.Context) {
	defer func() {
		if v := recover(); v != nil {
			d.log.Error("look at the directory panicked", zap.Any("panic", v), zap.Stack("stack"))
			d.opts.Restarted(jobDiscovery)
		}
	}()
	select {
	case d.turn <- struct{}{}:
		defer d.release()
		if _, err := d.inspect(ctx); err != nil && ctx.Err() == nil {
			d.log.Debug("directory is not inspected", zap.Error(err))
		}
	default:
	}
}

// inspect looks at the directory and decides whether it is still where it was found.
func (d *directory) inspect(ctx context.Context) (topology.Facts, error) {
	now, err := d.opts.Probes.Inspect(ctx, d.target)
	if err != nil {
		return topology.Facts{}, err
	}
	now = d.settle(now)
	d.count(ctx, now)
	return now, nil
}

// settle takes over what a look found, unless the mount is gone under the directory: then it is measured where it was
// found before, or not at all. A directory that has moved to another mount tells that something was mounted, or is gone:
// the others are looked at again, and so is the configuration.
func (d *directory) settle(now topology.Facts) topology.Facts {
	d.mu.Lock()
	defer d.mu.Unlock()
	before, wasLost := d.facts, d.lost
	decision := topology.Decide(before, now)
	if d.anew {
		decision = topology.Adopt
	}
	d.lost, d.anew = decision == topology.Lost, false
	if d.lost != wasLost || before.Mountpoint != "" && decision == topology.Adopt && now.Mount != before.Mount {
		d.trouble = true
		d.moved()
	}
	if decision == topology.Keep {
		kept := before
		kept.State, kept.Error, kept.Reason, kept.Resolved = now.State, now.Error, now.Reason, now.Resolved
		now = kept
	}
	d.show(now)
	if d.lost {
		if !wasLost {
			d.log.Warn("directory is no longer on the mount it was found on", zap.String("found_on", before.Mountpoint), zap.String("now_on", now.Mountpoint))
		}
		return before
	}
	d.facts = now
	return now
}

// show publishes what a look has found. Callers hold d.mu.
func (d *directory) show(now topology.Facts) {
	if d.seen == now {
		return
	}
	d.seen = now
	d.series.Facts(now)
	d.log.Info("directory inspected", zap.String("state", string(now.State)), zap.String("fstype", now.FSType),
		zap.String("source", now.Source), zap.String("mountpoint", now.Mountpoint), zap.String("trouble", now.Error))
}

// count publishes how many tables have an entry in a bulkRollback directory.
func (d *directory) count(ctx context.Context, facts topology.Facts) {
	if d.target.Kind != topology.KindBulkRollback || d.isLost() {
		return
	}
	if facts.State != topology.StatePresent {
		d.opts.BulkRollback.Forget(d.target.DBRoot)
		return
	}
	n, err := d.opts.Probes.Entries(ctx, d.on(facts.Mount))
	if err != nil {
		d.log.Debug("entries of bulkRollback are not counted", zap.Error(err))
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.gone {
		d.opts.BulkRollback.Entries(d.target.DBRoot, n)
	}
}

// on is the directory on the mount where it was found.
func (d *directory) on(mount topology.Mount) tasks.Place {
	return tasks.Place{Target: d.target, Mount: mount}
}
