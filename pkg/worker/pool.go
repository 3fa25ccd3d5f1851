//go:build linux

package worker

import (
	"context"
	"encoding/json"
)

// Pool keeps the worker processes.
type Pool struct{}

// NewPool returns a pool without processes; each one starts with its first task.
func NewPool(opts Options) *Pool { return &Pool{} }

// Do gives the task to its worker and waits for the result.
func (p *Pool) Do(ctx context.Context, req Request) (json.RawMessage, error) { return nil, ErrWorker }

// InFlight tells which operation is in flight on the target.
func (p *Pool) InFlight(target string) (Operation, bool) { return Operation{}, false }

// Workers is the number of living worker processes.
func (p *Pool) Workers() int { return 0 }

// Restarts is the number of worker processes that ended unasked or could not be started.
func (p *Pool) Restarts() uint64 { return 0 }

// Retain ends the idle workers that are not named.
func (p *Pool) Retain(names []string) {}

// Close ends the workers, and waits for them at most about a second.
func (p *Pool) Close() {}
