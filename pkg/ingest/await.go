//go:build linux

package ingest

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
)

// begin notes that an import has been started.
func (t *trial) begin(started time.Time) {
	t.result.Started = started
	t.o.OnInFlight(started)
}

// await waits for the end of an import. It asks the import to end after Options.Timeout, or once ctx is done, and gives
// it time to roll back. Asked tells whether it was, ended whether the import has ended.
func (t *trial) await(ctx context.Context, done <-chan struct{}, end func() error) (asked, ended bool) {
	overdue := time.NewTimer(t.o.Timeout)
	defer overdue.Stop()
	select {
	case <-done:
		t.o.OnInFlight(time.Time{})
		return false, true
	case <-overdue.C:
		t.ask("import is stuck, asking it to end", end)
		ended = t.linger(ctx, done)
	case <-ctx.Done():
		t.ask("asking the import to end, as the exporter ends", end)
		ended = t.lingerAtExit(done)
	}
	if ended {
		t.o.OnInFlight(time.Time{})
	}
	return true, ended
}

func (t *trial) ask(message string, end func() error) {
	t.log.Warn(message, zap.String("method", t.result.Method), zap.Time("started", t.result.Started))
	if err := end(); err != nil {
		t.log.Error("the import cannot be asked to end", zap.Error(err))
	}
}

// linger waits for an import that was asked to end while the exporter goes on.
func (t *trial) linger(ctx context.Context, done <-chan struct{}) (ended bool) {
	grace := time.NewTimer(t.o.Grace)
	defer grace.Stop()
	select {
	case <-done:
		return true
	case <-grace.C:
		return false
	case <-ctx.Done():
		return t.lingerAtExit(done)
	}
}

// lingerAtExit waits for an import that was asked to end while the exporter wants to end, too. It waits without limit for
// an import that would not survive that.
func (t *trial) lingerAtExit(done <-chan struct{}) (ended bool) {
	if t.o.PID1 && t.result.Method == MethodCpimport {
		<-done
		return true
	}
	grace := time.NewTimer(t.o.ExitGrace)
	defer grace.Stop()
	select {
	case <-done:
		return true
	case <-grace.C:
		return false
	}
}

// abandon reports an import that did not end when it was asked to, and leaves it to a watch. No trial begins before its
// end.
func (t *trial) abandon(done <-chan struct{}, settle func()) {
	started, watched := t.result.Started, make(chan struct{})
	t.abandoned = watched
	go func() {
		defer close(watched)
		<-done
		settle()
		t.o.OnInFlight(time.Time{})
		t.log.Warn("the stuck import has ended", zap.Time("started", started))
	}()
	t.result.Seconds = time.Since(started).Seconds()
	t.fail(outcome.Timeout, fmt.Errorf("still running %v after its start, although asked to end", time.Since(started).Round(time.Second)))
}
