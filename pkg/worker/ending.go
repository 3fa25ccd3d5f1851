//go:build linux

package worker

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// leaveTime is how long an idle worker that is asked to end may take before it is killed.
const leaveTime = 2 * time.Second

// Retain ends the idle workers that are not named. One that has a task is left: a hung one must not be doubled, and when
// its name comes again it is the same process.
func (p *Pool) Retain(names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	named := make(map[string]bool, len(names))
	for _, name := range names {
		named[name] = true
	}
	for name, s := range p.slots {
		if named[name] {
			continue
		}
		if _, there := p.processes[s.current]; !there {
			delete(p.slots, name)
		} else if len(s.current.flights) == 0 && !s.current.leaving {
			s.current.leave()
			time.AfterFunc(leaveTime, s.current.kill)
		}
	}
}

// Close ends all workers and waits for them, at most for a second: one that hangs is killed, as far as that goes, and
// left behind, and one that a signal has stopped is not waited for. What is still in flight then ends with ErrWorker.
func (p *Pool) Close() {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.closed = true
	var all []*process
	for w := range p.processes {
		w.leave()
		all = append(all, w)
	}
	p.mu.Unlock()

	bound, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	for _, w := range all {
		if w.stopped() {
			w.abandon()
			continue
		}
		select {
		case <-w.gone:
		case <-bound.Done():
			w.abandon()
		}
	}
	p.forker.stop()
}

// lose records that a process is of no more use, and gives up its tasks. While it still exists, one of its threads may
// be in the kernel, so its targets stay in flight.
func (p *Pool) lose(w *process, exists bool, cause error) {
	if delay, unasked := p.markLost(w, exists, cause); unasked {
		p.opts.Log.Warn("worker lost", zap.String("worker", w.name), zap.Error(cause), zap.Duration("retry_in", delay))
	}
}

// markLost does so under the lock, which a log that blocks must not hold. A process that was not asked to end is followed
// by a new one after the delay.
func (p *Pool) markLost(w *process, exists bool, cause error) (delay time.Duration, unasked bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !exists {
		p.free(w)
	}
	for _, f := range w.flights {
		op, _ := f.operation(p.mono.Now(), p.opts.Clock)
		f.settle(nil, &LostError{Worker: w.name, Operation: op.Name, Cause: cause})
	}
	if w.leaving {
		return 0, false
	}
	w.leaving = true
	p.restarts++
	s := p.slots[w.name]
	delay = s.backoff.Fail(w.age())
	s.cause, s.retry = cause, time.Now().Add(delay)
	return delay, true
}

// forget records that a process does not exist any more.
func (p *Pool) forget(w *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free(w)
	delete(p.processes, w)
	close(w.gone)
}

// free lets other workers have the process's targets.
func (p *Pool) free(w *process) {
	for _, f := range w.flights {
		if p.flights[f.target] == f {
			delete(p.flights, f.target)
		}
	}
}
