//go:build linux

package worker

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// maxQueue bounds the tasks of one target that wait. The daemon sends one at a time.
const maxQueue = 16

// server does the tasks of a worker process.
type server struct {
	ctx      context.Context
	out      *sink
	handlers map[string]Handler
	threads  sync.WaitGroup

	mu       sync.Mutex
	draining bool
	queues   map[string][]*job // by target: the job under way, then those that wait
	jobs     map[uint64]*job
}

// job is one task that has not ended.
type job struct {
	order
	id     uint64
	ctx    context.Context
	cancel context.CancelFunc
}

func newServer(ctx context.Context, out *sink, handlers map[string]Handler) *server {
	return &server{ctx: ctx, out: out, handlers: handlers, queues: map[string][]*job{}, jobs: map[uint64]*job{}}
}

func (s *server) accept(id uint64, o order) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	queue := s.queues[o.target]
	switch {
	case s.draining:
		return nil
	case s.jobs[id] != nil:
		return fmt.Errorf("task %d is there already", id)
	case len(queue) > maxQueue:
		return fmt.Errorf("more than %d tasks wait for target %s", maxQueue, o.target)
	}
	j := &job{order: o, id: id}
	j.ctx, j.cancel = context.WithCancel(s.ctx)
	s.jobs[id] = j
	s.queues[o.target] = append(queue, j)
	if len(queue) == 0 {
		s.threads.Go(func() { s.work(j) })
	}
	return nil
}

func (s *server) cancel(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.jobs[id]; j != nil { // otherwise the result has crossed the order
		j.cancel()
	}
}

// work does the job and those that come for its target meanwhile, on a thread of its own. The thread is not handed back:
// it ends with the goroutine, and with it whatever a handler has set on it.
func (s *server) work(j *job) {
	runtime.LockOSThread()
	for ; j != nil; j = s.next(j) {
		s.do(j)
	}
}

// next forgets the job that is done and returns the target's next one, nil when there is none.
func (s *server) next(done *job) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	queue := s.queues[done.target][1:]
	if len(queue) == 0 {
		delete(s.queues, done.target)
		return nil
	}
	s.queues[done.target] = queue
	return queue[0]
}

func (s *server) do(j *job) {
	defer j.cancel()
	r := newReporter(s.out, j.id)
	result, err := s.call(j, r)
	s.mu.Lock()
	delete(s.jobs, j.id)
	s.mu.Unlock()
	r.finish(result, err)
}

func (s *server) call(j *job, r Reporter) (result any, err error) {
	if j.ctx.Err() != nil {
		return nil, fmt.Errorf("task was not begun: %w", j.ctx.Err())
	}
	handler := s.handlers[j.name]
	if handler == nil {
		return nil, fmt.Errorf("worker knows no task %q", j.name)
	}
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic in task %s: %v", j.name, v)
			fmt.Fprintf(os.Stderr, "%v\n%s", err, debug.Stack())
		}
	}()
	return handler(j.ctx, Task{Name: j.name, Target: j.target, Params: j.params, Reporter: r})
}

// drain waits for the tasks under way, at most for the bound, and takes no more.
func (s *server) drain(bound time.Duration) {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	idle := make(chan struct{})
	go func() {
		s.threads.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(bound):
	}
}
