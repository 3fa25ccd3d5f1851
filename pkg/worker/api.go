//go:build linux

// Package worker runs storage operations in child processes, one per mount, so that a hang is the child's own.
//
// The daemon's side is [Pool], the child's is [Serve]; the child is the same binary, executed again.
package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"
)

var (
	// ErrInFlight says that an earlier task of the same target has not come back yet, so that the new one was not begun.
	ErrInFlight = errors.New("earlier task is still in flight")
	// ErrWorker says that there is no process to do the task: it could not be started, it died meanwhile, it is not
	// started again yet, or the pool is closed. The cause is wrapped beside it.
	ErrWorker = errors.New("no worker process")
)

// LostError is the error of a task whose worker process is of no more use. It wraps ErrWorker and the cause.
type LostError struct {
	// Worker is the worker's name.
	Worker string
	// Operation is the name of what was in flight when the worker was lost, as an [Operation] has it; empty for none.
	Operation string
	Cause     error
}

func (e *LostError) Error() string {
	return fmt.Sprintf("%v: worker %s: %v", ErrWorker, e.Worker, e.Cause)
}

// Unwrap returns ErrWorker and the cause.
func (e *LostError) Unwrap() []error { return []error{ErrWorker, e.Cause} }

// Limits of what crosses the pipes, in bytes.
const (
	// MaxEvent is the largest payload of [Reporter.Event].
	MaxEvent = 4 << 10
	// MaxMessage is the largest Params, result or error text.
	MaxMessage = 4 << 20
	// MaxName is the longest name of a task or an operation; longer names of operations are cut.
	MaxName = 64
	// MaxTarget is the longest name of a target: a path and what tells it from others.
	MaxTarget = 8 << 10
)

// Handler does one task in a worker process, on an OS thread that belongs to the task's target. Its result travels back
// as JSON. A panic becomes the task's error.
type Handler func(ctx context.Context, task Task) (result any, err error)

// Task is one order as the worker process sees it.
type Task struct {
	// Name selects the handler, Target the thread.
	Name   string
	Target string
	Params json.RawMessage
	// Reporter tells the daemon of operations and events while the task runs. It says nothing after that.
	Reporter Reporter
}

// Reporter is the way back to the daemon while a task runs. Its methods do not allocate, and may be called by several
// goroutines.
type Reporter interface {
	// Operation announces the operation that begins at the given time of CLOCK_MONOTONIC (nanoseconds), now or in the
	// future; an empty name says idle. It flushes the events before it, all with one write(2).
	Operation(name string, at int64)
	// Event hands over bytes that the daemon's side of the task decodes. They travel with the next Operation or the
	// result. It panics when there are more than MaxEvent.
	Event(payload []byte)
}

// Request is one order as the daemon gives it.
type Request struct {
	// Worker selects the process (the mount's major:minor, or a name of the daemon's), Target the thread in it.
	Worker string
	Target string
	Task   string
	Params any
	// OnEvent receives the payloads in order, on a goroutine of the pool; it must not block nor keep the slice. When Do
	// returned early because its context was done, what the worker still reports goes on to arrive. May be nil.
	OnEvent func(payload []byte)
	// Grace is how long Do, once its context is done, waits for what the cancelled task still has to tell.
	Grace time.Duration
}

// Operation is one operation in flight.
type Operation struct {
	// Name is what the child announced, or "worker" for a child that has not said anything since it got its task.
	Name  string
	Since time.Time
}

// Options are what a pool needs from outside.
type Options struct {
	// Executable is run with Args, to which the worker's name is appended, so that ps shows whose it is. Empty means
	// the daemon's own program (by /proc/self/exe, which stays the same when the file is replaced).
	Executable string
	Args       []string
	// Env is the whole environment of the children; nil is an empty one.
	Env []string
	Log *zap.Logger
	// Clock tells the wall clock's time; nil means time.Now.
	Clock func() time.Time
}
