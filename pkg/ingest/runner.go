//go:build linux

// Package ingest runs import trials: the 10,000 x 250 rows of the published test, through cpimport or LOAD DATA, into a
// table of its own, timed, and without harm to anything else on the system.
package ingest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cptest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/mariadb"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/schedule"
)

// Runner runs trials, one at a time. Its methods may be called by several goroutines.
type Runner struct {
	o      Options
	log    *zap.Logger
	server *mariadb.Server
	table  mariadb.Table
	state  directory
	// flight holds a token while a trial or the import that it left behind is under way.
	flight chan struct{}
	// plain says once that the server has no ColumnStore.
	plain sync.Once

	mu      sync.Mutex
	memory  memory
	content *cptest.Content // of the CSV; nil before it was computed

	health  sync.Mutex // one question for the health at a time
	last    Database
	backoff schedule.Backoff
	askNext time.Time // no question before this time
	locks   lockPace
}

// New returns a runner. It asks nobody: the database may be down.
func New(o Options) (*Runner, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("import trials: %w", err)
	}
	o = o.withDefaults()
	r := &Runner{
		o:      o,
		log:    o.Log,
		server: mariadb.NewServer(o.DSN),
		table:  mariadb.Table{Database: o.Database, Name: o.Table},
		state:  directory(o.StateDir),
		flight: make(chan struct{}, 1),
	}
	r.recall()
	return r, nil
}

// LastTrial returns when the last trial was started, by this process or an earlier one; the zero time when none is known.
func (r *Runner) LastTrial() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.memory.LastTrial
}

// Trial runs one trial now, or tells why it does not: one of the results is nil. It may take Options.Timeout for each of
// its imports and Options.Grace more. Once ctx is done, the import is asked to end and waited for Options.ExitGrace; it
// goes on without the exporter if need be.
func (r *Runner) Trial(ctx context.Context) (*Trial, *Skip) {
	select {
	case r.flight <- struct{}{}:
	default:
		return nil, &Skip{outcome.SkipInFlight, "the trial before has not ended"}
	}
	t := &trial{Runner: r, result: Trial{Started: time.Now()}}
	defer func() {
		if t.abandoned == nil {
			<-r.flight
			return
		}
		go func() { // the watch over an import that is long overdue
			<-t.abandoned
			<-r.flight
		}()
	}()
	unlock, err := r.state.lock()
	if err != nil {
		return nil, skipState(err)
	}
	defer unlock()
	r.recall()
	if skip := t.gate(ctx); skip != nil {
		return nil, skip
	}
	t.run(ctx)
	return &t.result, nil
}

// trial is one trial under way.
type trial struct {
	*Runner
	result  Trial
	session *mariadb.Session // nil while the import runs
	facts   mariadb.Facts
	content cptest.Content
	// found tells whether the table is there.
	found bool
	// abandoned is closed when an import that is no longer waited for has ended; nil when there is none.
	abandoned <-chan struct{}
}

// recall takes over what this or another process has noted last.
func (r *Runner) recall() {
	r.mu.Lock()
	defer r.mu.Unlock()
	memory, err := r.state.recall()
	if err != nil {
		r.log.Warn("what was noted of earlier trials cannot be read", zap.Error(err))
		return
	}
	if memory.LastTrial.Before(r.memory.LastTrial) {
		return // it could not be written
	}
	r.memory = memory
}

// note changes what a restarted exporter will know. What cannot be written is remembered by this process alone.
func (r *Runner) note(change func(*memory)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.memory)
	if err := r.state.remember(r.memory); err != nil {
		r.log.Warn("a restarted exporter will not know of this trial", zap.Error(err))
	}
}

// remembered returns what an earlier process or trial has noted.
func (r *Runner) remembered() memory {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.memory
}
