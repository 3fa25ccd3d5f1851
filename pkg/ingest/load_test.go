//go:build linux && mariadb

package ingest_test

import (
	"context"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
)

// loading is a question for the LOAD DATA of the exporter.
const loading = "SELECT COALESCE(MAX(ID), 0) FROM information_schema.PROCESSLIST WHERE USER = '" + user + "' AND INFO LIKE '%LOAD DATA%'"

func TestTimeoutOfLoad(t *testing.T) {
	b := newBed(t)
	b.succeed(t, b.runner(t))
	before := b.rows(t)
	b.o.Rows, b.o.Timeout = 10_000, 50*time.Millisecond
	trial := b.fail(t, outcome.Timeout)
	if b.Value(t, loading) != "0" || b.rows(t) != before {
		t.Errorf("after %+v: the load still runs, or %s rows, %s before", *trial, b.rows(t), before)
	}
	b.o.Rows, b.o.Timeout = few, time.Minute
	b.succeed(t, b.runner(t))
}

func TestSomebodyKillsLoad(t *testing.T) {
	b := newBed(t)
	b.succeed(t, b.runner(t))
	before := b.rows(t)
	b.o.Rows = 10_000
	b.o.OnInFlight = func(started time.Time) {
		if !started.IsZero() {
			go b.killLoad(t)
		}
	}
	b.fail(t, outcome.Killed)
	if after := b.rows(t); after != before {
		t.Errorf("%s rows, %s before", after, before)
	}
}

// killLoad ends the LOAD DATA once there is one.
func (b *bed) killLoad(t *testing.T) {
	for {
		if id := b.Value(t, loading); id != "0" {
			b.Exec(t, "KILL QUERY "+id)
			return
		}
	}
}

func TestCallerEndsDuringLoad(t *testing.T) {
	b := newBed(t)
	b.succeed(t, b.runner(t))
	before := b.rows(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.o.Rows, b.o.ExitGrace = 10_000, time.Minute
	b.o.OnInFlight = func(started time.Time) {
		if !started.IsZero() {
			cancel()
		}
	}
	trial, skip := b.runner(t).Trial(ctx)
	if skip != nil || trial.Failure != outcome.Timeout {
		t.Fatalf("trial %+v, skip %+v, want failure timeout", trial, skip)
	}
	if after := b.rows(t); after != before || b.sessions(t) != 0 {
		t.Errorf("%s rows, %s before; %d connections left", after, before, b.sessions(t))
	}
}
