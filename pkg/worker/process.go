//go:build linux

package worker

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/prometheus/procfs"
	"go.uber.org/zap"
)

// lingerTime is how long a killed process may take to die before its tasks are given up. It keeps its targets all the
// same until it is gone, as its threads may still be in the kernel.
const lingerTime = time.Second

// process is one worker process, from the wish for it to its end.
type process struct {
	pool   *Pool
	name   string
	after  <-chan struct{} // closed when the worker's process before is gone; nil without one
	outbox *outbox
	gone   chan struct{}

	// Guarded by the pool's mutex.
	flights map[uint64]*flight // by task
	leaving bool               // takes no more tasks: asked to end, or lost
	child   *os.Process        // nil before the start
	ends    *ends
	started time.Time
}

func newProcess(p *Pool, name string, before *process) *process {
	w := &process{pool: p, name: name, outbox: newOutbox(), gone: make(chan struct{}), flights: map[uint64]*flight{}}
	if before != nil {
		w.after = before.gone
	}
	return w
}

// run is the process's whole life.
func (w *process) run() {
	defer w.pool.forget(w)
	if w.after != nil {
		select {
		case <-w.after:
		case <-w.pool.forker.quit:
			w.pool.lose(w, false, errClosed)
			return
		}
	}
	child, ends, err := w.start()
	if err != nil {
		w.pool.lose(w, false, err)
		return
	}
	log := w.pool.opts.Log.With(zap.String("worker", w.name), zap.Int("pid", child.Pid))
	log.Info("worker started")
	var helpers sync.WaitGroup
	helpers.Go(func() { w.feed(ends.in) })
	helpers.Go(func() { forward(ends.log, log) })
	exit := make(chan string, 1)
	go func() { exit <- wait(child) }()

	cause := w.listen(ends.out)
	w.kill()
	w.outbox.close()
	closeAll(ends.in)
	w.bury(exit, cause)
	ends.close()
	helpers.Wait()
}

// start brings the process to life.
func (w *process) start() (*os.Process, *ends, error) {
	ends, files, err := newEnds()
	if err != nil {
		return nil, nil, err
	}
	opts := w.pool.opts
	argv := append(append([]string{w.pool.argv0}, opts.Args...), w.name)
	child, err := w.pool.forker.start(opts.Executable, argv, opts.Env, files)
	closeAll(files[:]...)
	if err != nil {
		ends.close()
		return nil, nil, fmt.Errorf("start worker process: %w", err)
	}
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	w.child, w.ends, w.started = child, ends, time.Now()
	w.pool.processes[w] = true
	return child, ends, nil
}

// feed tells the child what is in the outbox. A child that does not listen any more is none.
func (w *process) feed(in *os.File) {
	if !w.outbox.drain(in) {
		w.kill()
	}
	closeAll(in)
}

// listen takes what the child says on its pipe.
func (w *process) listen(out *os.File) error {
	pipe, err := newPipeReader(out)
	if err != nil {
		return err
	}
	return w.receive(pipe)
}

// receive takes what the child says until it ends or is not understood.
func (w *process) receive(out io.Reader) error {
	r := newFrameReader(out)
	for {
		f, err := r.next()
		if errors.Is(err, io.EOF) {
			return errors.New("it ended")
		}
		if errors.Is(err, os.ErrClosed) {
			return errClosed // nobody else closes this end before the process is gone
		}
		if err == nil {
			err = w.pool.dispatch(w, f)
		}
		if err != nil {
			return fmt.Errorf("read from it: %w", err)
		}
	}
}

// bury waits until the process is gone, and gives up its tasks when that takes long.
func (w *process) bury(exit <-chan string, cause error) {
	linger := time.NewTimer(lingerTime)
	defer linger.Stop()
	select {
	case how := <-exit:
		w.pool.lose(w, false, fmt.Errorf("%w (%s)", cause, how))
		return
	case <-linger.C:
	case <-w.pool.forker.quit:
	}
	w.pool.lose(w, true, fmt.Errorf("%w (killed, but not gone)", cause))
	<-exit
}

func wait(child *os.Process) (how string) {
	state, err := child.Wait()
	if err != nil {
		return err.Error()
	}
	return state.String()
}

// leave asks the process to end once it has read what it was told.
func (w *process) leave() {
	w.leaving = true
	w.outbox.close()
}

func (w *process) kill() {
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	if w.child != nil {
		// The error says that it has ended by itself.
		_ = w.child.Kill()
	}
}

// stopped tells whether a signal has stopped the process, so that it cannot end by itself.
func (w *process) stopped() bool {
	w.pool.mu.Lock()
	child := w.child
	w.pool.mu.Unlock()
	if child == nil {
		return false
	}
	process, err := procfs.NewProc(child.Pid)
	if err != nil {
		return false // it is gone
	}
	stat, err := process.Stat()
	return err == nil && stat.State == "T"
}

// abandon kills the process and stops listening to it.
func (w *process) abandon() {
	w.kill()
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	if w.ends != nil {
		w.ends.close()
	}
}

// age is how long the process has lived.
func (w *process) age() time.Duration {
	if w.started.IsZero() {
		return 0
	}
	return time.Since(w.started)
}
