//go:build linux

package throughput

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/scratch"
)

// Run runs the tests in one directory, and removes the files that it makes there and those that killed runs have left.
//
// It ends early when the context does, but not before storage has answered what is in flight: a process that must not
// hang runs it in another.
func Run(ctx context.Context, spec Spec, observer Observer) Outcome {
	if err := spec.Validate(); err != nil {
		return Outcome{Failure: reason.EINVAL, Error: err.Error()}
	}
	spec.Threads = int(spec.threads())
	defer widen(2*spec.Threads + 2)()
	w := newWatch(observer, 1+spec.Threads)
	defer w.start()()
	own := w.flights[0]
	dir, err := scratch.Open(own.begin, spec.Directory, spec.Host, spec.Mount)
	if err != nil {
		return refused(err)
	}
	r := &run{spec: spec, dir: dir, own: own, watch: w}
	outcome := r.all(ctx)
	if err := errors.Join(r.clean(), dir.Close()); err != nil && outcome.Failure == "" {
		outcome.Failure, outcome.Error = reason.Of(err), err.Error()
	}
	return outcome
}

// widen gives the process GOMAXPROCS of n at least, until the function that it returns is called. A thread keeps its share
// of the runtime for a while when it waits for storage: with a share less than threads and partners, partners would wait too.
func widen(n int) (restore func()) {
	before := runtime.GOMAXPROCS(0)
	if before >= n {
		return func() {}
	}
	runtime.GOMAXPROCS(n)
	return func() { runtime.GOMAXPROCS(before) }
}

// refused is the outcome of a run that could not begin.
func refused(err error) Outcome {
	switch {
	case errors.Is(err, scratch.ErrMount):
		return Outcome{Skip: reason.SkipMount, Error: err.Error()}
	case errors.Is(err, os.ErrNotExist):
		return Outcome{Skip: reason.SkipAbsent, Error: err.Error()}
	case errors.Is(err, errRoom):
		return Outcome{Skip: reason.SkipDiskSpace, Error: err.Error()}
	default:
		return Outcome{Failure: reason.Of(err), Error: err.Error()}
	}
}

// run is a run in an open directory.
type run struct {
	spec  Spec
	dir   *scratch.Dir
	own   *flight
	watch *watch
	room  room
	stats iostat.FS
	// memory is the buffers of all threads, lanes what each of them has.
	memory memory
	lanes  []lane
	// accounts tells whether the file system counts the bytes that threads move.
	accounts bool
}

// lane is what one thread of every test works with.
type lane struct {
	file   *file
	blocks []*block
}

// all runs the tests one after another, up to one that could not be finished.
func (r *run) all(ctx context.Context) Outcome {
	if err := r.prepare(); err != nil {
		return refused(err)
	}
	var outcome Outcome
	for _, kind := range Tests() {
		if !slices.Contains(r.spec.Tests, kind) {
			continue
		}
		result, whole := r.withFiles(ctx, kind)
		outcome.Tests = append(outcome.Tests, result)
		if !whole {
			break
		}
	}
	return outcome
}

// withFiles runs a test, after it has laid out the files that it needs.
func (r *run) withFiles(ctx context.Context, kind Test) (result Result, whole bool) {
	empty := func(l lane) bool { return l.file.blocks == 0 }
	if kind != Write && slices.ContainsFunc(r.lanes, empty) {
		if laid, whole := r.one(ctx, LayOut); !whole {
			return Result{
				Test: kind, Threads: laid.Threads, IO: laid.IO,
				EndedEarly: laid.EndedEarly, Failure: laid.Failure, Error: laid.Error,
			}, false
		}
	}
	return r.one(ctx, kind)
}

// prepare makes the buffers and the files.
func (r *run) prepare() (err error) {
	defer r.own.end()
	if _, err := r.dir.RemoveLeftovers(time.Time{}); err != nil {
		return err
	}
	if r.room, err = measure(r.dir, r.spec); err != nil {
		return err
	}
	r.accounts = accounts(r.dir.Fd())
	if r.stats, err = iostat.New("/proc", "/sys"); err != nil {
		return err
	}
	return r.prepareLanes()
}

// prepareLanes makes a file and two buffers for each thread.
func (r *run) prepareLanes() error {
	size := int(r.spec.BlockSize)
	buffers, err := r.memory.buffers(2 * size * r.spec.Threads)
	if err != nil {
		return err
	}
	for two := range slices.Chunk(buffers, 2*size) {
		l := lane{blocks: []*block{{data: two[:size]}, {data: two[size:]}}}
		if l.file, err = r.create(r.watch.flights[1+len(r.lanes)], l.blocks[0]); err != nil {
			return err
		}
		r.lanes = append(r.lanes, l)
	}
	return nil
}

// clean takes away all that prepare made.
func (r *run) clean() (err error) {
	for _, l := range r.lanes {
		err = errors.Join(err, l.file.remove())
	}
	return errors.Join(err, r.memory.unmap())
}
