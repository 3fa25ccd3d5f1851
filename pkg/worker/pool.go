//go:build linux

package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/monotonic"
	"github.com/columnstore/columnstore_exporter/pkg/schedule"
)

// closeTime is how long Close waits for the workers: a little longer than they wait for their handlers.
const closeTime = cleanUpTime + 200*time.Millisecond

// Pool keeps the worker processes. Its methods may be called by several goroutines.
type Pool struct {
	opts   Options
	argv0  string
	mono   monotonic.Clock
	forker *forker

	mu        sync.Mutex
	closed    bool
	slots     map[string]*slot   // by the worker's name
	processes map[*process]bool  // those that are not gone; true once started
	flights   map[string]*flight // by target
	tasks     uint64             // given out so far, the last one's id
	restarts  uint64
}

// slot is what is known of a worker over the lives of its processes.
type slot struct {
	current *process
	backoff schedule.Backoff
	retry   time.Time
	cause   error
}

// NewPool returns a pool without processes; each one starts with its first task. So that the children inherit nothing,
// it marks all open descriptors from 3 on as close-on-exec.
func NewPool(opts Options) *Pool {
	argv0 := opts.Executable
	if opts.Executable == "" {
		opts.Executable, argv0 = "/proc/self/exe", os.Args[0]
	}
	if opts.Env == nil {
		opts.Env = []string{} // nil would be the daemon's own
	}
	if opts.Log == nil {
		opts.Log = zap.NewNop()
	}
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	keepToOurselves()
	return &Pool{
		opts:      opts,
		argv0:     argv0,
		mono:      monotonic.NewClock(),
		forker:    newForker(),
		slots:     map[string]*slot{},
		processes: map[*process]bool{},
		flights:   map[string]*flight{},
	}
}

// Do gives the task to its worker, which is started when it is not there, and returns the task's result or error.
//
// ErrInFlight: a target has at most one task in flight in all workers; an earlier one has not come back. ErrWorker: there
// is no process that could do the task, or it died meanwhile. When ctx is done, Do asks the worker to cancel the task and
// returns ctx's error, after Request.Grace at the latest; the target stays in flight until the worker has answered or is gone.
func (p *Pool) Do(ctx context.Context, req Request) (json.RawMessage, error) {
	if ctx.Err() != nil {
		return nil, givenUp(ctx, req)
	}
	params, err := json.Marshal(req.Params)
	if err != nil {
		return nil, fmt.Errorf("encode params of task %s: %w", req.Task, err)
	}
	o := order{name: req.Task, target: req.Target, params: params}
	if err = o.check(); err != nil {
		return nil, fmt.Errorf("task %s: %w", req.Task, err)
	}
	f, err := p.launch(req, o)
	if err != nil {
		return nil, err
	}
	select {
	case <-f.done:
		return f.result, f.err
	case <-ctx.Done():
		f.process.outbox.push(appendFrame(nil, kindCancel, f.id, nil))
	}
	select {
	case <-f.done:
		return f.result, f.err
	case <-time.After(req.Grace):
		return nil, givenUp(ctx, req)
	}
}

func givenUp(ctx context.Context, req Request) error {
	return fmt.Errorf("give up task %s of target %s: %w", req.Task, req.Target, ctx.Err())
}

func (p *Pool) launch(req Request, o order) (*flight, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.flights[req.Target] != nil {
		return nil, fmt.Errorf("target %s: %w", req.Target, ErrInFlight)
	}
	w, err := p.process(req.Worker)
	if err != nil {
		return nil, err
	}
	p.tasks++
	f := &flight{id: p.tasks, target: req.Target, process: w, onEvent: req.OnEvent, sent: p.mono.Now(), done: make(chan struct{})}
	p.flights[f.target] = f
	w.flights[f.id] = f
	w.outbox.push(appendRun(nil, f.id, o))
	return f, nil
}

// process returns the worker's process, a new one when there is none or it is on its way out.
func (p *Pool) process(name string) (*process, error) {
	if p.closed {
		return nil, fmt.Errorf("%w: worker %s: %w", ErrWorker, name, errClosed)
	}
	s := p.slots[name]
	if s == nil {
		s = &slot{}
		p.slots[name] = s
	}
	if s.current != nil && !s.current.leaving {
		return s.current, nil
	}
	if wait := time.Until(s.retry); wait > 0 {
		return nil, fmt.Errorf("%w: worker %s starts again in %s: %w", ErrWorker, name, wait.Round(time.Millisecond), s.cause)
	}
	s.current = newProcess(p, name, s.current)
	p.processes[s.current] = false
	go s.current.run()
	return s.current, nil
}

// InFlight tells which operation is in flight on the target: the one that its worker announced last, once its time has
// come. A worker that has said nothing for 0.2 s after it got the task is itself what is in flight, by the name of
// worker, since then. It reads memory only.
func (p *Pool) InFlight(target string) (Operation, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.flights[target]
	if f == nil {
		return Operation{}, false
	}
	return f.operation(p.mono.Now(), p.opts.Clock)
}

// Workers is the number of worker processes that exist, hung ones included.
func (p *Pool) Workers() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, started := range p.processes {
		if started {
			n++
		}
	}
	return n
}

// Restarts is the number of worker processes that ended unasked or could not be started. Each is followed by a new one
// with the first task after a back-off of 1 s to 1 min.
func (p *Pool) Restarts() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.restarts
}
