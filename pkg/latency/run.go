//go:build linux

// Package latency measures what one small request to a directory takes, as ioping does: reads of a probe file, and
// commits of small files. It says of each run in which I/O mode it read, and whether the reads reached the storage.
package latency

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/latency/internal/block"
	"github.com/columnstore/columnstore_exporter/pkg/latency/internal/timed"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/scratch"
)

// Prober measures one directory, run after run. Between runs it keeps the order of the offsets, so that they do not
// repeat, and holds nothing open. The zero value is ready; a Prober is not for concurrent use.
type Prober struct {
	slots slots
	// made is what the probe file looked like when it was made; nil before.
	made *likeness
	// tidied says that nothing of a crash is left; abandoned are files of ours that could not be removed.
	tidied bool
	// until is when the directory was measured anew: what this process made before and is there again counts, too.
	until     time.Time
	abandoned []string
}

// Run does one run and returns what it measured, also when ctx ends it early: that takes a fraction of a second, or as
// long as the storage holds the request in flight. It does so on an OS thread of its own. What goes wrong is in the
// result and in the samples.
func Run(ctx context.Context, spec Spec, observer Observer) Result {
	return new(Prober).Run(ctx, spec, observer)
}

// Run is like the function Run, and goes on where the run before it ended.
func (p *Prober) Run(ctx context.Context, spec Spec, observer Observer) Result {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r := &run{ctx: ctx, spec: spec, observer: observer, prober: p}
	defer context.AfterFunc(ctx, r.cancel.Cancel)()
	r.result.Started = Now()
	r.measure()
	r.result.Ended = Now()
	observer.Operation("", r.result.Ended)
	return r.result
}

// run is the state of one run.
type run struct {
	ctx      context.Context
	spec     Spec
	observer Observer
	prober   *Prober
	cancel   timed.Cancel
	dir      *scratch.Dir
	result   Result
}

func (r *run) measure() {
	if err := r.spec.check(); err != nil {
		r.failAll(err)
		return
	}
	dir, err := scratch.Open(r.announce, r.spec.Directory, r.spec.Host, r.spec.Mount)
	switch {
	case errors.Is(err, scratch.ErrMount):
		r.skip(reason.SkipMount, err)
		return
	case errors.Is(err, os.ErrNotExist):
		r.skip(reason.SkipAbsent, err)
		return
	case err != nil:
		r.failAll(err)
		return
	}
	r.dir = dir
	grid := grid{start: r.spec.Start, interval: r.spec.Interval}
	leftovers, untidy := r.prober.tidy(dir, r.spec.Anew)
	r.reads(&grid)
	if untidy == nil {
		r.commits(&grid)
	} else {
		r.failCommits(untidy)
	}
	r.note(leftovers)
	r.note(dir.Close())
}

// check refuses what no run can be made of.
func (s Spec) check() error {
	switch {
	case s.Interval <= 0:
		return fmt.Errorf("measure %s: the interval %v is not positive: %w", s.Directory, s.Interval, unix.EINVAL)
	case s.RequestSize < block.HeaderSize:
		return fmt.Errorf("measure %s: the request size %d is below %d: %w", s.Directory, s.RequestSize, block.HeaderSize, unix.EINVAL)
	case s.slots() < 1 || s.slots() > math.MaxUint32:
		return fmt.Errorf("measure %s: the working set %d does not hold 1 to 2³² requests of %d: %w", s.Directory, s.WorkingSet, s.RequestSize, unix.EINVAL)
	}
	return nil
}

// slots is the number of requests that fit into the working set.
func (s Spec) slots() int64 { return s.WorkingSet / s.RequestSize }

// announce is called for each operation that begins now.
func (r *run) announce(operation string) { r.observer.Operation(operation, Now()) }

// announceDue is called for a request before its sleep, so that nothing is written around it.
func (r *run) announceDue(operation string, due Instant) {
	r.observer.Operation(operation, max(due, Now()))
}

// failReads notes why the reads could not begin.
func (r *run) failReads(err error) {
	if r.spec.Count > 0 {
		r.result.ReadFailure = reason.Of(err)
	}
	r.note(err)
}

// failCommits notes why the commits could not begin.
func (r *run) failCommits(err error) {
	if r.spec.Commits > 0 {
		r.result.CommitFailure = reason.Of(err)
	}
	r.note(err)
}

func (r *run) failAll(err error) {
	r.failReads(err)
	r.failCommits(err)
}

// skip notes why nothing is to be measured.
func (r *run) skip(why reason.Skip, err error) {
	r.result.Skip = why
	r.note(err)
}

// note keeps the text of the first error.
func (r *run) note(err error) {
	if err != nil && r.result.Error == "" {
		r.result.Error = err.Error()
	}
}

// tidy removes what a crash left, and what could not be removed before. What a crash left costs nothing more where it has
// to stay; files of this process's own that cannot be removed must not become more.
func (p *Prober) tidy(dir *scratch.Dir, anew bool) (leftovers, own error) {
	if anew {
		p.tidied, p.until = false, time.Now()
	}
	if !p.tidied {
		p.tidied, leftovers = dir.RemoveLeftovers(p.until)
	}
	names := p.abandoned
	p.abandoned = nil
	for _, name := range names {
		own = errors.Join(own, p.discard(dir, name))
	}
	return leftovers, own
}

// discard removes a file of ours, and remembers it for the next run where that does not succeed.
func (p *Prober) discard(dir *scratch.Dir, name string) error {
	err := dir.Remove(name)
	if err != nil {
		p.abandoned = append(p.abandoned, name)
	}
	return err
}
