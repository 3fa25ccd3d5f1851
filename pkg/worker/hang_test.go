package worker_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

func TestHungTargetIsReportedAndStopsNoOther(t *testing.T) {
	offset := 1000 * time.Hour
	p := newPool(t, func(o *worker.Options) { o.Clock = func() time.Time { return time.Now().Add(offset) } })
	path, release := fifo(t)
	before := time.Now().Add(offset)
	ctx, cancel := context.WithCancel(t.Context())
	answer := begin(ctx, p, worker.Request{Worker: "w", Target: "hung", Task: "open", Params: path})
	op := waitInFlight(t, p, "hung", "open")
	if op.Since.Before(before) || op.Since.After(time.Now().Add(offset)) {
		t.Errorf("in flight since %s, begun after %s", op.Since, before)
	}
	cancel()
	if err := receive(t, answer); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	do[any](t, p, worker.Request{Worker: "w", Target: "neighbour", Task: "echo"})
	if again, ok := p.InFlight("hung"); !ok || again != op {
		t.Errorf("after Do has returned %v is in flight, want %v unmoved", again, op)
	}
	if _, err := p.Do(t.Context(), worker.Request{Worker: "w", Target: "hung", Task: "echo"}); !errors.Is(err, worker.ErrInFlight) {
		t.Errorf("error %v, want ErrInFlight", err)
	}
	release()
	eventually(t, "target idle", func() bool { _, ok := p.InFlight("hung"); return !ok })
	do[any](t, p, worker.Request{Worker: "w", Target: "hung", Task: "echo"})
}

func TestOperationIsInFlightOnceItsTimeHasCome(t *testing.T) {
	p := newPool(t, nil)
	path, release := fifo(t)
	type params struct {
		Seconds float64
		Path    string
	}
	answer := begin(t.Context(), p, worker.Request{Worker: "w", Target: "far", Task: "announce", Params: params{3600, path}})
	begun := time.Now()
	begin(t.Context(), p, worker.Request{Worker: "w", Target: "near", Task: "announce", Params: params{0.5, path}})
	op := waitInFlight(t, p, "near", "read")
	if waited := op.Since.Sub(begun); waited < 490*time.Millisecond { // the clocks are read one after the other
		t.Errorf("operation half a second ahead began %s after its announcement", waited)
	}
	if op, ok := p.InFlight("far"); ok {
		t.Errorf("%v is in flight an hour before its time", op)
	}
	release()
	if err := receive(t, answer); err != nil {
		t.Fatal(err)
	}
}

func TestStoppedWorkerIsReported(t *testing.T) {
	p := newPool(t, nil)
	child := pid(t, p, "w")
	signal(t, child, unix.SIGSTOP)
	t.Cleanup(func() { signal(t, child, unix.SIGCONT) })
	sent := time.Now()
	answer := begin(t.Context(), p, worker.Request{Worker: "w", Target: "t", Task: "echo", Params: 1})
	op := waitInFlight(t, p, "t", "worker")
	if age := op.Since.Sub(sent); age < -time.Second || age > time.Second {
		t.Errorf("worker in flight since %s, task sent %s", op.Since, sent)
	}
	signal(t, child, unix.SIGCONT)
	if err := receive(t, answer); err != nil {
		t.Fatal(err)
	}
	if op, ok := p.InFlight("t"); ok {
		t.Errorf("%v in flight after the answer", op)
	}
}

func TestWorkerThatDoesNotReadHoldsNobodyUp(t *testing.T) {
	p := newPool(t, nil)
	child := pid(t, p, "w")
	signal(t, child, unix.SIGSTOP)
	t.Cleanup(func() { signal(t, child, unix.SIGCONT) })
	ctx, cancel := context.WithCancel(t.Context())
	long := make([]byte, 1<<20) // more than a pipe holds
	answer := begin(ctx, p, worker.Request{Worker: "w", Target: "t", Task: "echo", Params: long})
	waitInFlight(t, p, "t", "worker")
	cancel()
	if err := receive(t, answer); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	do[any](t, p, worker.Request{Worker: "other", Target: "u", Task: "echo"})
}

func TestFloodHoldsNobodyUp(t *testing.T) {
	p := newPool(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	const endless = 1 << 40
	answer := begin(ctx, p, worker.Request{Worker: "w", Target: "t", Task: "events", Params: endless})
	waitInFlight(t, p, "t", "read")
	for range 100 {
		do[any](t, p, worker.Request{Worker: "w", Target: "neighbour", Task: "echo"})
		do[any](t, p, worker.Request{Worker: "other", Target: "u", Task: "echo"})
	}
	cancel()
	if err := receive(t, answer); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	eventually(t, "target idle", func() bool { _, ok := p.InFlight("t"); return !ok })
}

func TestRetain(t *testing.T) {
	p := newPool(t, nil)
	path, release := fifo(t)
	idle, kept, stopped, hung := pid(t, p, "idle"), pid(t, p, "kept"), pid(t, p, "stopped"), pid(t, p, "hung")
	signal(t, stopped, unix.SIGSTOP)
	answer := begin(t.Context(), p, worker.Request{Worker: "hung", Target: "t", Task: "open", Params: path})
	waitInFlight(t, p, "t", "open")

	p.Retain([]string{"kept"})
	eventually(t, "idle worker gone", func() bool { return !exists(idle) })
	if got := pid(t, p, "stopped"); got == stopped || exists(stopped) {
		t.Errorf("worker that is slow to end was doubled: process %d beside %d", got, stopped)
	}
	if got := pid(t, p, "kept"); got != kept {
		t.Errorf("worker that is named became process %d, was %d", got, kept)
	}
	if got := pid(t, p, "hung"); got != hung {
		t.Errorf("hung worker was doubled: process %d beside %d", got, hung)
	}
	if got := pid(t, p, "idle"); got == idle {
		t.Error("ended worker took a task")
	}
	if got := p.Restarts(); got != 0 {
		t.Errorf("%d restarts, want 0: all were asked to end", got)
	}
	release()
	if err := receive(t, answer); err != nil {
		t.Fatal(err)
	}
	p.Retain(nil)
	eventually(t, "all workers gone", func() bool { return p.Workers() == 0 })
	if got := pid(t, p, "hung"); got == hung {
		t.Error("ended worker took a task")
	}
}
