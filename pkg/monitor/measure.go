//go:build linux

package monitor

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/proof"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// outcome is what the last run gave. The zero value is that of a directory without one.
type outcome struct {
	result      *latency.Result
	requests    [2]int
	success     bool
	ended       time.Time
	lastSuccess time.Time
}

// measure does the run in the directory's worker.
func (d *directory) measure(ctx context.Context, facts topology.Facts) {
	spec := d.opts.Spec
	spec.Directory, spec.Mount = d.target.Directory, facts.Mount
	spec.Anew = d.begin()
	result, err := d.opts.Probes.Latency(ctx, d.target, spec, d.sample)
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, worker.ErrInFlight):
		d.skipFor(ctx, err)
	case err != nil:
		d.lose(err)
		d.finish(latency.Result{ReadFailure: reason.Other, Error: err.Error()})
	case result.Skip != "":
		d.skip(result.Skip, result.Error)
	default:
		d.finish(result)
	}
}

// lose counts the request that was under way when its worker was lost: it was started, and nobody knows how it ended.
func (d *directory) lose(err error) {
	var lost *worker.LostError
	if !errors.As(err, &lost) {
		return
	}
	for _, op := range []latency.Op{latency.Read, latency.Commit} {
		if lost.Operation == op.String() {
			d.series.Lose(op)
		}
	}
}

// begin reports whether the directory was in trouble since the last run that measured.
func (d *directory) begin() (trouble bool) {
	d.series.Begin()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.runs++
	d.requests, d.missed = [2]int{}, 0
	return d.trouble
}

// sample takes one finished request, on the goroutine that reads the worker's pipe.
func (d *directory) sample(s latency.Sample) {
	d.series.Sample(s)
	d.opts.Lag(s.Lag)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests[s.Op]++
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
	d.trouble = !success
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
	d.outcome.result, d.outcome.requests, d.outcome.success, d.outcome.ended = &r, d.requests, success, now
	if success {
		d.outcome.lastSuccess = now
	}
}

// logChange logs what differs from the run before. Callers hold d.mu.
func (d *directory) logChange(r latency.Result, success bool) {
	first := d.outcome.result == nil
	var before latency.Result
	if !first {
		before = *d.outcome.result
	}
	switch {
	case !success && (first || d.outcome.success || failure(before) != failure(r)):
		d.log.Warn("run failed", zap.String("trouble", r.Error))
	case success && !first && !d.outcome.success:
		d.log.Info("run measured again")
	case success && r.Error != "" && before.Error != r.Error:
		d.log.Warn("requests failed", zap.String("trouble", r.Error))
	}
	if proof.Lacks(r.DeviceRatio) && !proof.Lacks(before.DeviceRatio) {
		d.log.Warn("reads did not reach the storage: they were served from a cache", zap.Float64("device_ratio", *r.DeviceRatio), zap.String("io", r.IO))
	}
}

// failure is why a run failed, without what differs from run to run in the text.
func failure(r latency.Result) string {
	if why := r.ReadFailure + r.CommitFailure; why != "" {
		return string(why)
	}
	return r.Error
}

// skipFor counts a run that the workers did not do.
func (d *directory) skipFor(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, worker.ErrInFlight):
		d.skip(reason.SkipInFlight, err.Error())
	default:
		d.skip(reason.SkipWorker, err.Error())
	}
}

// skip counts a run that was due and not begun.
func (d *directory) skip(why reason.Skip, text string) {
	d.series.Skip(why)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.skips[string(why)]++
	if why == reason.SkipAbsent {
		d.outcome = outcome{}
	}
	d.log.Debug("run skipped", zap.String("reason", string(why)), zap.String("why", text))
}
