//go:build linux

package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// cleanUpTime is how long handlers have to clean up once the daemon has gone.
	cleanUpTime = 800 * time.Millisecond
	// procs is how many goroutines run at once. Storage is waited for outside of that, and what is timed is complete before a
	// thread comes back; a second one keeps what takes longer, such as the making of a probe file, from the others' way. More
	// would cost memory in each worker, the more the larger the machine.
	procs = 2
	// gcPercent collects early: a worker allocates little, and there may be many.
	gcPercent = 25
)

// Serve is what a worker process runs: it does the tasks that come from in with the handler of their name, and answers
// on out. It takes in over: nobody else may read or close it. Each target has its own OS thread while it has tasks, which are
// done in the order in which they came.
//
// When in ends or ctx is done, the contexts of all tasks are cancelled, and Serve returns as soon as they have returned,
// but after 0.8 s at the latest; the process should exit then, whatever still hangs. The error is nil when in ended
// between two messages.
//
// Serve is for a process of its own: it sets the garbage collector, GOMAXPROCS and the process's name, and ignores the
// signals that end or prompt a daemon: a service manager may send them to all processes of the service, and it is the
// daemon that ends its workers.
func Serve(ctx context.Context, in, out *os.File, handlers map[string]Handler) error {
	prepareProcess()
	in, err := pollable(in)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s := newServer(ctx, &sink{file: out, fail: cancel}, handlers)
	ended := make(chan error, 1)
	go func() { ended <- s.receive(in) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = fmt.Errorf("serve the daemon: %w", context.Cause(ctx))
	}
	cancel(nil)
	s.drain(cleanUpTime)
	return err
}

// pollable is the input with its reads in the runtime's poller. While somebody waits there, a thread that goes to sleep
// beside storage does not wake another one to poll in its place: two changes of context less for each request.
func pollable(in *os.File) (*os.File, error) {
	fd := in.Fd()
	if err := unix.SetNonblock(int(fd), true); err != nil {
		return nil, fmt.Errorf("make the input pollable: %w", err)
	}
	return os.NewFile(fd, in.Name()), nil
}

func prepareProcess() {
	debug.SetGCPercent(gcPercent)
	runtime.GOMAXPROCS(procs)
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1)
	// Executed by /proc/self/exe, the process would be known as exe. A name is a convenience: without /proc it stays so.
	_ = os.WriteFile("/proc/self/comm", []byte(filepath.Base(os.Args[0])), 0)
}

// receive takes orders until the input ends.
func (s *server) receive(in io.Reader) error {
	r := newFrameReader(in)
	for {
		f, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = s.take(f)
		}
		if err != nil {
			return fmt.Errorf("read from the daemon: %w", err)
		}
	}
}

func (s *server) take(f frame) error {
	switch f.kind {
	case kindRun:
		o, err := parseRun(f.body)
		if err != nil {
			return err
		}
		return s.accept(f.id, o)
	case kindCancel:
		s.cancel(f.id)
		return nil
	default:
		return fmt.Errorf("frame of kind %d does not go to a worker", f.kind)
	}
}
