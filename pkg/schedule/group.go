package schedule

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"
)

// ErrStopped is returned when a job is added to a group that was stopped.
var ErrStopped = errors.New("group of jobs is stopped")

// Options are what a group needs from outside. Every field may be left zero.
type Options struct {
	// Clock tells the wall clock's time, read once for each job added; nil means time.Now.
	Clock func() time.Time
	Log   *zap.Logger
	// OnSkip is told of each time of a job's grid at which its earlier run was still under way. It must not block.
	OnSkip func(job string, due time.Time)
	// OnRestart is told of each run that ended in an error or a panic. It must not block.
	OnRestart func(job string)
}

// Group runs jobs, each on goroutines of its own, so that what happens in one touches no other. Jobs come and go while
// it runs.
type Group struct {
	opts Options
	ctx  context.Context
	stop context.CancelFunc
	runs sync.WaitGroup

	mu   sync.Mutex
	jobs map[string]*runner
}

// NewGroup returns a group without jobs.
func NewGroup(opts Options) *Group {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if opts.Log == nil {
		opts.Log = zap.NewNop()
	}
	if opts.OnSkip == nil {
		opts.OnSkip = func(string, time.Time) {}
	}
	if opts.OnRestart == nil {
		opts.OnRestart = func(string) {}
	}
	g := &Group{opts: opts, jobs: map[string]*runner{}}
	g.ctx, g.stop = context.WithCancel(context.Background())
	return g
}

// Add starts a job. A job of a name that is there already is an error, as is one that cannot run.
func (g *Group) Add(job Job) error {
	if err := job.check(); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ctx.Err() != nil {
		return fmt.Errorf("add job %s: %w", job.Name, ErrStopped)
	}
	if g.jobs[job.Name] != nil {
		return fmt.Errorf("add job %s: there is one of that name", job.Name)
	}
	r := newRunner(g, job)
	g.jobs[job.Name] = r
	g.runs.Go(r.loop)
	return nil
}

// Remove ends a job: it does not run again, and the context of a run under way is cancelled, without waiting for it. It
// reports whether there was one.
func (g *Group) Remove(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.jobs[name]
	if r == nil {
		return false
	}
	delete(g.jobs, name)
	r.cancel()
	return true
}

// Trigger asks for a run of the job now, out of turn. While a run is under way the request is dropped. It reports
// whether there is such a job.
func (g *Group) Trigger(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.jobs[name]
	if r == nil {
		return false
	}
	select {
	case r.trigger <- struct{}{}:
	default: // one is waiting already
	}
	return true
}

// Stop ends all jobs and waits until their runs have returned, at most for the bound. It reports whether all have.
func (g *Group) Stop(bound time.Duration) bool {
	g.mu.Lock()
	g.stop()
	clear(g.jobs)
	g.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		g.runs.Wait()
		close(ended)
	}()
	timer := time.NewTimer(bound)
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-timer.C:
		return false
	}
}
