//go:build linux

package monitor

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/history"
	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/metrics"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// Why runs are skipped, as the label reason has it.
const (
	skipInFlight = "in_flight"
	skipTrial    = "trial"
	skipAbsent   = "absent"
	skipMount    = "mount"
	skipWorker   = "worker"
)

// recentReads is how many latencies are kept for the distribution on the status page: ten runs at the defaults.
const recentReads = 300

// directory is one target with what is known of it.
type directory struct {
	target topology.Target
	opts   *Options
	log    *zap.Logger
	series *metrics.Directory
	// turn is held by whoever has the worker look at or measure the directory: one at a time.
	turn chan struct{}

	mu      sync.Mutex
	facts   topology.Facts
	lost    bool // the directory is no longer on the mount it was found on
	outcome outcome
	day     history.Day
	recent  history.Recent
	skips   map[string]uint64
	fails   map[string]uint64
	runs    uint64
	missed  int  // commits of the run under way that failed
	hung    bool // as last logged
	done    bool // there was a result or a skip
}

// outcome is what the last run gave.
type outcome struct {
	result      *latency.Result
	success     *bool
	trouble     string
	ended       time.Time
	lastSuccess time.Time
}

func newDirectory(m *Monitor, t topology.Target) *directory {
	d := &directory{
		target: t,
		opts:   &m.opts,
		log:    m.opts.Log.With(zap.String("dbroot", t.DBRoot), zap.String("kind", string(t.Kind)), zap.String("directory", t.Directory)),
		turn:   make(chan struct{}, 1),
		recent: history.NewRecent(recentReads),
		skips:  make(map[string]uint64),
		fails:  make(map[string]uint64),
	}
	d.series = m.opts.Storage.Add(t, func() (string, time.Time, bool) {
		op, busy := m.opts.Probes.InFlight(t)
		return op.Name, op.Since, busy
	})
	return d
}

// run is one latency run, from looking at the directory to the last commit.
func (d *directory) run(ctx context.Context, _ time.Time) error {
	if name, busy := d.opts.Lane.Busy(); busy {
		d.skip(skipTrial, "a trial is under way: "+name)
		return nil
	}
	if !d.take(ctx, time.Second) {
		if ctx.Err() == nil {
			d.skip(skipInFlight, "an earlier look at the directory has not come back")
		}
		return nil
	}
	defer d.release()
	facts, err := d.inspect(ctx)
	switch {
	case err != nil:
		d.skipFor(ctx, err)
	case d.isLost():
		d.skip(skipMount, "the directory is no longer on the mount it was found on")
	case facts.State == topology.StateAbsent && facts.Error == "":
		d.skip(skipAbsent, "there is no such directory")
	case facts.State != topology.StatePresent:
		d.failUnseen(facts)
	default:
		d.measure(ctx, facts)
	}
	return nil
}

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

// settle takes over what a look found, unless the mount is gone under the directory: then what was found before stands.
func (d *directory) settle(now topology.Facts) topology.Facts {
	d.mu.Lock()
	defer d.mu.Unlock()
	before, wasLost := d.facts, d.lost
	d.lost = false
	switch topology.Decide(before, now) {
	case topology.Lost:
		d.lost = true
		if !wasLost {
			d.log.Warn("directory is no longer on the mount it was found on", zap.String("found_on", before.Mountpoint), zap.String("now_on", now.Mountpoint))
		}
		return before
	case topology.Keep:
		kept := before
		kept.State, kept.Error, kept.Reason, kept.Resolved = now.State, now.Error, now.Reason, now.Resolved
		now = kept
	case topology.Adopt:
	}
	if before != now {
		d.facts = now
		d.series.Facts(now)
		d.log.Info("directory inspected", zap.String("state", string(now.State)), zap.String("fstype", now.FSType),
			zap.String("source", now.Source), zap.String("mountpoint", now.Mountpoint), zap.String("trouble", now.Error))
	}
	return now
}

// measure does the run in the directory's worker.
func (d *directory) measure(ctx context.Context, facts topology.Facts) {
	spec := d.opts.Spec
	spec.Directory, spec.Mount = d.target.Directory, facts.Mount
	d.begin()
	result, err := d.opts.Probes.Latency(ctx, d.target, spec, d.sample)
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, worker.ErrInFlight):
		d.skipFor(ctx, err)
	case err != nil:
		d.finish(latency.Result{Error: err.Error()})
		d.skipFor(ctx, err)
	case result.Skip != "":
		d.skip(result.Skip, result.Error)
	default:
		d.finish(result)
	}
}

func (d *directory) begin() {
	d.series.Begin()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.runs++
	d.missed = 0
}

// sample takes one finished request, on the goroutine that reads the worker's pipe.
func (d *directory) sample(s latency.Sample) {
	d.series.Sample(s)
	d.opts.Lag(s.Lag)
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case s.Reason != "":
		d.fails[string(s.Reason)]++
		if s.Op == latency.Commit {
			d.missed++
		}
	case s.Op == latency.Read && !s.WarmUp:
		d.recent.Add(s.Latency.Seconds())
	}
}

// failUnseen is a run that failed before it could begin: the directory cannot be opened.
func (d *directory) failUnseen(facts topology.Facts) {
	d.begin()
	why := reason.Reason(facts.Reason)
	if why == "" {
		why = reason.Other
	}
	result := latency.Result{ReadFailure: why, Error: facts.Error}
	if d.opts.Spec.Commits > 0 {
		result.CommitFailure = why
	}
	d.finish(result)
}

// finish publishes a finished run.
func (d *directory) finish(r latency.Result) {
	d.mu.Lock()
	defer d.mu.Unlock()
	success := status.Measured(r, d.missed)
	now := d.opts.Clock()
	d.series.Result(r, success, now)
	for _, failure := range []reason.Reason{r.ReadFailure, r.CommitFailure} {
		if failure != "" {
			d.fails[string(failure)]++
		}
	}
	if r.Read.Count > 0 {
		d.day.Add(now, r.Read.Avg(), r.Read.Count)
	}
	d.logChange(r, success)
	d.done = true
	d.outcome.result, d.outcome.success, d.outcome.trouble, d.outcome.ended = &r, &success, r.Error, now
	if success {
		d.outcome.lastSuccess = now
	}
}

// logChange logs what differs from the run before. Callers hold d.mu.
func (d *directory) logChange(r latency.Result, success bool) {
	before := d.outcome
	switch {
	case !success && (before.success == nil || *before.success || before.trouble != r.Error):
		d.log.Warn("run failed", zap.String("trouble", r.Error))
	case success && before.success != nil && !*before.success:
		d.log.Info("run measured again")
	case success && r.Error != "" && before.trouble != r.Error:
		d.log.Warn("requests failed", zap.String("trouble", r.Error))
	}
	if cached(&r) && !cached(before.result) {
		d.log.Warn("reads did not reach the storage: they were served from a cache", zap.Float64("device_ratio", *r.DeviceRatio), zap.String("io", r.IO))
	}
}

// cached tells whether a part of the reads was served from a cache. The tolerance is for the rounding of the quotient.
func cached(r *latency.Result) bool {
	return r != nil && r.DeviceRatio != nil && *r.DeviceRatio < 0.999
}

// skipFor counts a run that the workers did not do.
func (d *directory) skipFor(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, worker.ErrInFlight):
		d.skip(skipInFlight, err.Error())
	default:
		d.skip(skipWorker, err.Error())
	}
}

// skip counts a run that was due and not begun.
func (d *directory) skip(why, text string) {
	d.series.Skip(why)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.skips[why]++
	d.done = true
	if why == skipAbsent {
		d.outcome = outcome{}
	}
	d.log.Debug("run skipped", zap.String("reason", why), zap.String("why", text))
}

// watch logs when an operation begins to hang and when it is over.
func (d *directory) watch() {
	op, hung := d.hanging()
	d.mu.Lock()
	changed := hung != d.hung
	d.hung = hung
	d.mu.Unlock()
	switch {
	case changed && hung:
		d.log.Error("storage does not answer", zap.String("operation", op.Name), zap.Time("since", op.Since))
	case changed:
		d.log.Info("storage answers again")
	}
}

// hanging tells whether an operation has been in flight for longer than the request interval and a second.
func (d *directory) hanging() (worker.Operation, bool) {
	op, busy := d.opts.Probes.InFlight(d.target)
	return op, busy && d.opts.Clock().Sub(op.Since) > d.opts.Spec.Interval+time.Second
}

// settled tells whether the first round is over for this directory.
func (d *directory) settled() bool {
	_, hung := d.hanging()
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.done || hung
}

func (d *directory) isLost() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lost
}

func (d *directory) known() topology.Facts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.facts
}

// findAnew forgets on which mount the directory was found.
func (d *directory) findAnew() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.facts = topology.Facts{}
}

// forget drops the directory's series.
func (d *directory) forget() {
	d.opts.Storage.Remove(d.series)
	if d.target.Kind == topology.KindBulkRollback {
		d.opts.BulkRollback.Forget(d.target.DBRoot)
	}
	for _, f := range d.opts.Followers {
		f.Remove(d.target)
	}
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
	n, err := d.opts.Probes.Entries(ctx, d.target, facts.Mount)
	if err != nil {
		d.log.Debug("entries of bulkRollback are not counted", zap.Error(err))
		return
	}
	d.opts.BulkRollback.Entries(d.target.DBRoot, n)
}
