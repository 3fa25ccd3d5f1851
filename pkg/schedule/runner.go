package schedule

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"go.uber.org/zap"
)

// runner keeps the times of one job.
type runner struct {
	group   *Group
	job     Job
	ctx     context.Context
	cancel  context.CancelFunc
	trigger chan struct{}
	backoff Backoff

	grid  time.Time // the next time of the grid
	extra time.Time // a run off the grid that is due: the first one, or another try; zero for none
	begun time.Time // the due time of the run under way; zero when there is none
	ended chan error
}

func newRunner(g *Group, job Job) *runner {
	now := time.Now()
	r := &runner{
		group:   g,
		job:     job,
		trigger: make(chan struct{}, 1),
		ended:   make(chan error, 1),
		grid:    now.Add(untilGrid(g.opts.Clock(), job.Phase, job.Interval)),
	}
	if job.First >= 0 && job.Interval > 0 {
		r.extra = now.Add(job.First)
	}
	r.ctx, r.cancel = context.WithCancel(g.ctx)
	return r
}

// loop goes on while a run is under way, so that the times which a hung run misses are told when they come.
func (r *runner) loop() {
	defer r.cancel()
	timer := time.NewTimer(time.Until(r.next()))
	defer timer.Stop()
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-timer.C:
			r.endIfOver() // what ended before this time does not count as under way
			r.tick(time.Now())
		case <-r.trigger:
			r.outOfTurn(time.Now())
		case err := <-r.ended:
			r.end(err)
		}
		timer.Reset(time.Until(r.next()))
	}
}

func (r *runner) next() time.Time {
	if !r.extra.IsZero() && r.extra.Before(r.grid) {
		return r.extra
	}
	return r.grid
}

// tick begins what is due. Of several times that have passed (the process was stopped) the last one counts, and the
// others were missed.
func (r *runner) tick(now time.Time) {
	due := r.next()
	if due.After(now) {
		return
	}
	r.extra = time.Time{}
	if due.Before(r.grid) {
		r.begin(due)
		return
	}
	for r.grid = due.Add(r.job.Interval); !r.grid.After(now); r.grid = due.Add(r.job.Interval) {
		r.group.opts.OnSkip(r.job.Name, due)
		due = r.grid
	}
	r.begin(due)
}

func (r *runner) outOfTurn(now time.Time) {
	if r.running() {
		return
	}
	r.extra = time.Time{}
	r.begin(now)
}

// begin starts a run unless one is under way. A run that was due less than an interval ago (the first one, another try)
// stands for this time as well; an older one means that this time is skipped.
func (r *runner) begin(due time.Time) {
	if !r.running() {
		r.begun = due
		r.group.runs.Go(func() { r.ended <- r.attempt(due) })
		return
	}
	if due.Sub(r.begun) >= r.job.Interval {
		r.group.opts.OnSkip(r.job.Name, due)
	}
}

func (r *runner) running() bool { return !r.begun.IsZero() }

func (r *runner) attempt(due time.Time) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return r.job.Run(r.ctx, due)
}

func (r *runner) endIfOver() {
	select {
	case err := <-r.ended:
		r.end(err)
	default:
	}
}

func (r *runner) end(err error) {
	worked := time.Since(r.begun)
	r.begun = time.Time{}
	if r.ctx.Err() != nil {
		return
	}
	if err == nil {
		r.backoff.Reset()
		return
	}
	delay := r.backoff.Fail(worked)
	r.extra = time.Now().Add(delay)
	r.group.opts.Log.Warn("job failed", zap.String("job", r.job.Name), zap.Error(err), zap.Duration("retry_in", time.Until(r.next())))
	r.group.opts.OnRestart(r.job.Name)
}
