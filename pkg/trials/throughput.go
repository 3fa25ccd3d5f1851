//go:build linux

package trials

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/metrics"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/schedule"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

const (
	// busyAbove is the share of time with a request in flight above which a device counts as busy, busyWindow how long it
	// is watched before a test.
	busyAbove  = 0.5
	busyWindow = 5 * time.Second
	// patience is how long a test may take beyond its planned time, and how long a latency run under way is waited for.
	patience = 2 * time.Minute
)

// Directories are where tests run; monitor.Monitor has them.
type Directories interface {
	// Visit calls visit for each directory that is there, which nobody else measures meanwhile, and skip for the others.
	Visit(ctx context.Context, patience time.Duration, visit func(topology.Target, topology.Facts), skip func(t topology.Target, why reason.Skip))
}

// Streams are what tests are run by; tasks.Client is one.
type Streams interface {
	Throughput(
		ctx context.Context, t topology.Target, facts topology.Facts, spec throughput.Spec, onProgress func(throughput.Test, time.Duration, int64),
	) (throughput.Outcome, error)
}

// ThroughputOptions are what throughput tests need. All are needed but Clock.
type ThroughputOptions struct {
	Directories Directories
	Streams     Streams
	Metrics     *metrics.Throughput
	// Utilization is the share of the window in which a block device had a request in flight.
	Utilization func(ctx context.Context, device string, window time.Duration) (float64, error)
	// Importing tells whether a cpimport runs on this node, whoever started it.
	Importing func() (bool, error)
	// Restarted is told when the job is restarted after an error.
	Restarted func(job string)
	// Lane is held during the tests.
	Lane *schedule.Lane
	// Spec is what every run measures; Directory, Mount and Source are filled in.
	Spec throughput.Spec
	// Interval is from start to start of a run over all directories.
	Interval time.Duration
	Log      *zap.Logger
	// Clock tells the wall clock's time; nil means time.Now.
	Clock func() time.Time
}

// Throughput runs the throughput tests of this node.
type Throughput struct {
	opts  ThroughputOptions
	group *schedule.Group

	mu   sync.Mutex
	last map[string]status.Throughput // by the target's key
}

// NewThroughput returns tests that do not run yet.
func NewThroughput(opts ThroughputOptions) *Throughput {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	t := &Throughput{opts: opts, last: make(map[string]status.Throughput)}
	t.group = schedule.NewGroup(schedule.Options{
		Clock: opts.Clock, Log: opts.Log, OnRestart: opts.Restarted,
		OnSkip: func(string, time.Time) { t.skipAll(reason.SkipInFlight) },
	})
	return t
}

// Start begins to run the tests on their interval.
func (t *Throughput) Start() error {
	return t.group.Add(schedule.Job{
		Name: jobThroughput, Interval: t.opts.Interval, First: -1, Run: t.run,
		Phase: schedule.Phase(t.opts.Spec.Host, jobThroughput, t.opts.Interval),
	})
}

// Stop ends everything and waits for it, at most for the bound.
func (t *Throughput) Stop(bound time.Duration) { t.group.Stop(bound) }

// run tests all directories, one after the other, unless other heavy work is under way.
func (t *Throughput) run(ctx context.Context, _ time.Time) error {
	release, free := t.opts.Lane.TryAcquire(laneThroughput)
	if !free {
		holder, _ := t.opts.Lane.Busy()
		why := reason.SkipTrial
		if holder == laneImport {
			why = reason.SkipImport
		}
		t.skipAll(why)
		return nil
	}
	defer release()
	t.opts.Directories.Visit(ctx, patience, func(target topology.Target, facts topology.Facts) { t.test(ctx, target, facts) }, t.skip)
	return nil
}

// test runs the tests in one directory, unless the device or the node is busy.
func (t *Throughput) test(ctx context.Context, target topology.Target, facts topology.Facts) {
	if why := t.disturbs(ctx, facts); why != "" {
		t.skip(target, why)
		return
	}
	// Storage that hangs must not hold the lane for ever. Files are laid out in as much time as the test itself takes.
	limit := 2*t.opts.Spec.Duration*time.Duration(len(t.opts.Spec.Tests)) + patience
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	t.opts.Metrics.Begin(target)
	outcome, err := t.opts.Streams.Throughput(bounded, target, facts, t.opts.Spec, func(throughput.Test, time.Duration, int64) {})
	switch {
	case ctx.Err() != nil:
	case bounded.Err() != nil:
		t.finish(target, throughput.Outcome{Failure: reason.Other, Error: fmt.Sprintf("the storage has not answered for %s", limit)})
	case err != nil:
		t.opts.Log.Warn("throughput is not tested", zap.String("directory", target.Directory), zap.Error(err))
		t.skip(target, reason.SkipWorker)
	case outcome.Skip != "":
		t.skip(target, outcome.Skip)
	default:
		t.finish(target, outcome)
	}
}

// disturbs tells what a test would disturb, empty for nothing.
func (t *Throughput) disturbs(ctx context.Context, facts topology.Facts) reason.Skip {
	importing, err := t.opts.Importing()
	if err != nil {
		t.opts.Log.Warn("running imports cannot be told", zap.Error(err))
	}
	if importing {
		return reason.SkipImport
	}
	if facts.Device == "" {
		return ""
	}
	busy, err := t.opts.Utilization(ctx, facts.Device, busyWindow)
	if err != nil {
		t.opts.Log.Warn("utilization is unknown", zap.String("device", facts.Device), zap.Error(err))
		return ""
	}
	if busy > busyAbove {
		return reason.SkipBusy
	}
	return ""
}

func (t *Throughput) finish(target topology.Target, o throughput.Outcome) {
	now := t.opts.Clock()
	t.opts.Metrics.Outcome(target, o, now)
	for _, r := range o.Tests {
		t.opts.Log.Info("throughput test", zap.String("directory", target.Directory), zap.Any("result", r))
	}
	if o.Error != "" {
		t.opts.Log.Warn("throughput test failed", zap.String("directory", target.Directory), zap.String("trouble", o.Error))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last[target.Key()] = status.Throughput{Ended: now, Results: o.Tests}
}

func (t *Throughput) skip(target topology.Target, why reason.Skip) {
	t.opts.Log.Info("throughput tests skipped", zap.String("directory", target.Directory), zap.String("reason", string(why)))
	t.opts.Metrics.Skip(target, why)
}

// skipAll counts a run over all directories that was not begun.
func (t *Throughput) skipAll(why reason.Skip) {
	t.opts.Log.Info("throughput tests skipped", zap.String("reason", string(why)))
	t.opts.Metrics.SkipAll(why)
}

// Fill writes the last results into the picture, in which the targets are already.
func (t *Throughput) Fill(s *status.Snapshot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range s.Targets {
		if last, ok := t.last[s.Targets[i].Key()]; ok {
			s.Targets[i].Throughput = &last
		}
	}
}
