//go:build linux

// Package worker runs storage operations in child processes, one per mount, so that a hang is the child's own.
package worker

import (
	"context"
	"encoding/json"
	"time"
)

// Handler does one task in a worker process, on an OS thread that belongs to the task's target. Its result travels back as JSON.
type Handler func(ctx context.Context, task Task) (result any, err error)

// Task is one order as the worker process sees it.
type Task struct {
	// Name selects the handler, Target the thread.
	Name   string
	Target string
	Params json.RawMessage
	// Reporter tells the daemon of operations and events while the task runs.
	Reporter Reporter
}

// Reporter is the way back to the daemon while a task runs. Its methods do not allocate.
type Reporter interface {
	// Operation announces the operation that begins at the given time of CLOCK_MONOTONIC (nanoseconds), now or in the
	// future; an empty name says idle. It flushes the events before it.
	Operation(name string, at int64)
	// Event hands over bytes that the daemon's side of the task decodes. They travel with the next Operation or the result.
	Event(payload []byte)
}

// Request is one order as the daemon gives it.
type Request struct {
	// Worker selects the process (the mount's major:minor, or a name of the daemon's), Target the thread in it.
	Worker string
	Target string
	Task   string
	Params any
	// OnEvent receives the payloads in order, on a goroutine of the pool; it must not block nor keep the slice. May be nil.
	OnEvent func(payload []byte)
}

// Operation is one operation in flight.
type Operation struct {
	Name  string
	Since time.Time
}
