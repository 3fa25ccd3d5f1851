package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/monotonic"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// handlers are what the worker processes of these tests can do.
func handlers() map[string]worker.Handler {
	return map[string]worker.Handler{
		"echo":      func(_ context.Context, t worker.Task) (any, error) { return t.Params, nil },
		"fail":      func(context.Context, worker.Task) (any, error) { return nil, errors.New("nothing to be had") },
		"panic":     func(context.Context, worker.Task) (any, error) { panic("no such thing") },
		"open":      handle(open),
		"write":     handle(write),
		"await":     handle(await),
		"self":      handle(self),
		"thread":    handle(thread),
		"events":    handle(events),
		"allocate":  handle(allocate),
		"complain":  handle(complain),
		"garble":    handle(garble),
		"announce":  handle(announce),
		"oversized": handle(oversized),
	}
}

// handle decodes a handler's params.
func handle[P, R any](f func(context.Context, worker.Reporter, P) (R, error)) worker.Handler {
	return func(ctx context.Context, t worker.Task) (any, error) {
		var params P
		if err := json.Unmarshal(t.Params, &params); err != nil {
			return nil, err
		}
		return f(ctx, t.Reporter, params)
	}
}

// open hangs in open(2) while the path is a FIFO that nobody writes to: no context ends that.
func open(_ context.Context, r worker.Reporter, path string) (string, error) {
	r.Operation("open", monotonic.Now())
	b, err := os.ReadFile(path)
	return string(b), err
}

// write hangs in write(2) while the file system is frozen, in state D.
func write(_ context.Context, r worker.Reporter, path string) (bool, error) {
	r.Operation("write", monotonic.Now())
	return true, os.WriteFile(path, []byte("x"), 0o600)
}

// await waits for its context and then takes the given time, in seconds, to clean up.
func await(ctx context.Context, r worker.Reporter, seconds float64) (string, error) {
	r.Operation("await", monotonic.Now())
	<-ctx.Done()
	time.Sleep(time.Duration(seconds * float64(time.Second)))
	return "cleaned up", nil
}

// announce announces an operation that begins in so many seconds, then hangs on the FIFO.
func announce(_ context.Context, r worker.Reporter, p struct {
	Seconds float64
	Path    string
},
) (bool, error) {
	r.Operation("read", monotonic.Now()+int64(p.Seconds*1e9))
	_, err := os.ReadFile(p.Path)
	return true, err
}

// process describes a worker process from the inside.
type process struct {
	PID, Group, Procs int
	Directory         string
	Env, Args         []string
	Name              string
}

func self(context.Context, worker.Reporter, any) (process, error) {
	wd, err := os.Getwd()
	if err != nil {
		return process{}, err
	}
	name, err := os.ReadFile("/proc/self/comm")
	return process{
		PID: os.Getpid(), Group: unix.Getpgrp(), Procs: runtime.GOMAXPROCS(0), Directory: wd,
		Env:  os.Environ(),
		Args: os.Args, Name: strings.TrimSpace(string(name)),
	}, err
}

// thread returns its thread's id after the given milliseconds in a system call.
func thread(_ context.Context, _ worker.Reporter, milliseconds int64) (int, error) {
	before := unix.Gettid()
	pause := unix.NsecToTimespec(milliseconds * 1e6)
	if err := unix.Nanosleep(&pause, nil); err != nil {
		return 0, err
	}
	if unix.Gettid() != before {
		return 0, errors.New("moved to another thread")
	}
	return before, nil
}

// events sends so many samples of 40 bytes, each with the operation that follows.
func events(ctx context.Context, r worker.Reporter, n int) (int, error) {
	sample := make([]byte, 40)
	for i := range n {
		if ctx.Err() != nil {
			return i, ctx.Err()
		}
		sample[0] = byte(i)
		r.Event(sample)
		r.Operation("read", monotonic.Now())
	}
	return n, nil
}

// cost is what a report costs in a worker.
type cost struct {
	Allocations float64
	Writes      int
}

// allocate counts allocations and write(2) calls for each operation with two events before it.
func allocate(_ context.Context, r worker.Reporter, n int) (cost, error) {
	sample := make([]byte, 40)
	before, err := writes()
	if err != nil {
		return cost{}, err
	}
	allocations := testing.AllocsPerRun(n-1, func() { // which runs it once more, to warm up
		r.Event(sample)
		r.Event(sample)
		r.Operation("read", monotonic.Now())
	})
	after, err := writes()
	return cost{Allocations: allocations, Writes: after - before}, err
}

// writes is the process's number of write calls so far.
func writes() (n int, err error) {
	b, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(b), "syscw: ")
	_, err = fmt.Sscan(after, &n)
	return n, err
}

// complain writes so many lines to standard error.
func complain(_ context.Context, _ worker.Reporter, lines int) (bool, error) {
	for i := range lines {
		fmt.Fprintf(os.Stderr, "line %d\n", i)
	}
	return true, nil
}

// garble says what is no frame.
func garble(context.Context, worker.Reporter, any) (int, error) {
	return os.Stdout.WriteString("what a daemon does not understand")
}

// oversized hands over an event of so many bytes.
func oversized(_ context.Context, r worker.Reporter, size int) (bool, error) {
	r.Event(make([]byte, size))
	return true, nil
}
