package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

func TestDo(t *testing.T) {
	p := newPool(t, nil)
	large := strings.Repeat("x", 1<<20)
	for _, test := range []struct {
		name, task string
		params     any
		want       string // the result
		failure    string // what the error says
	}{
		{name: "result", task: "echo", params: map[string]int{"a": 1}, want: `{"a":1}`},
		{name: "no params", task: "echo", want: `null`},
		{name: "large params and result", task: "echo", params: large, want: `"` + large + `"`},
		{name: "error", task: "fail", failure: "nothing to be had"},
		{name: "panic", task: "panic", failure: "panic in task panic: no such thing"},
		{name: "after a panic", task: "echo", params: 1, want: `1`},
		{name: "unknown task", task: "sing", failure: `worker knows no task "sing"`},
		{name: "largest event", task: "oversized", params: worker.MaxEvent, want: `true`},
		{name: "event too large", task: "oversized", params: worker.MaxEvent + 1, failure: "event of 4097 bytes exceeds 4096"},
		{name: "params too large", task: "echo", params: strings.Repeat("x", worker.MaxMessage), failure: "params of 4194306 bytes exceed 4194304"},
		{name: "params that are no JSON", task: "echo", params: make(chan int), failure: "encode params of task echo"},
		{name: "name too long", task: strings.Repeat("x", worker.MaxName+1), failure: "name of 65 bytes exceeds 64"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := p.Do(t.Context(), worker.Request{Worker: "w", Target: "t", Task: test.task, Params: test.params})
			if test.failure != "" {
				if err == nil || !strings.Contains(err.Error(), test.failure) {
					t.Errorf("error %v does not say %q", err, test.failure)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("result (-want +got):\n%.200s", diff)
			}
		})
	}
	if got := p.Workers(); got != 1 {
		t.Errorf("%d workers, want 1", got)
	}
	if got := p.Restarts(); got != 0 {
		t.Errorf("%d restarts, want 0", got)
	}
}

func TestEventsArriveInOrderBeforeTheResult(t *testing.T) {
	p := newPool(t, nil)
	var got []byte
	n := do[int](t, p, worker.Request{Worker: "w", Target: "t", Task: "events", Params: 200, OnEvent: func(payload []byte) {
		got = append(got, payload[0])
	}})
	if n != 200 || len(got) != n {
		t.Fatalf("%d of %d events arrived", len(got), n)
	}
	for i, b := range got {
		if int(b) != i {
			t.Fatalf("event %d is number %d", i, b)
		}
	}
}

func TestOneTaskInFlightPerTarget(t *testing.T) {
	p := newPool(t, nil)
	path, release := fifo(t)
	first := begin(t.Context(), p, worker.Request{Worker: "a", Target: "t", Task: "open", Params: path})
	waitInFlight(t, p, "t", "open")
	for _, name := range []string{"a", "b"} {
		if _, err := p.Do(t.Context(), worker.Request{Worker: name, Target: "t", Task: "echo"}); !errors.Is(err, worker.ErrInFlight) {
			t.Errorf("second task for the target in worker %s: error %v, want ErrInFlight", name, err)
		}
	}
	do[any](t, p, worker.Request{Worker: "a", Target: "neighbour", Task: "echo"})
	release()
	if err := receive(t, first); err != nil {
		t.Fatal(err)
	}
	do[any](t, p, worker.Request{Worker: "b", Target: "t", Task: "echo"})
	if got := p.Workers(); got != 2 {
		t.Errorf("%d workers, want 2", got)
	}
}

func TestCancelReachesTheHandler(t *testing.T) {
	p := newPool(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	answer := begin(ctx, p, worker.Request{Worker: "w", Target: "t", Task: "await", Params: 0.0})
	waitInFlight(t, p, "t", "await")
	cancel()
	if err := receive(t, answer); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	eventually(t, "target idle", func() bool {
		_, err := p.Do(t.Context(), worker.Request{Worker: "w", Target: "t", Task: "echo"})
		return err == nil
	})
	if _, err := p.Do(ctx, worker.Request{Worker: "new", Target: "t", Task: "echo"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error with a context that is done: %v, want context.Canceled", err)
	}
	if got := p.Workers(); got != 1 {
		t.Errorf("%d workers, want 1: a context that is done starts none", got)
	}
}

func TestGraceWaitsForWhatACancelledTaskHasToTell(t *testing.T) {
	p := newPool(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	var result json.RawMessage
	answer := make(chan error, 1)
	go func() {
		var err error
		result, err = p.Do(ctx, worker.Request{Worker: "w", Target: "t", Task: "await", Params: 0.01, Grace: time.Minute})
		answer <- err
	}()
	waitInFlight(t, p, "t", "await")
	cancel()
	if err := receive(t, answer); err != nil || string(result) != `"cleaned up"` {
		t.Errorf("result %s, error %v", result, err)
	}
}

func TestThousandTargetsInOneWorker(t *testing.T) {
	const targets = 1000
	p := newPool(t, nil)
	threads := make([]int, targets)
	var all sync.WaitGroup
	for i := range targets {
		all.Go(func() {
			threads[i] = do[int](t, p, worker.Request{Worker: "w", Target: fmt.Sprint("t", i), Task: "thread", Params: 100})
			p.InFlight(fmt.Sprint("t", i))
		})
	}
	all.Wait()
	own := map[int]bool{}
	for _, id := range threads {
		own[id] = true
	}
	// Threads of targets that were done may have lent their numbers to later ones.
	if len(own) < targets/4 {
		t.Errorf("%d targets had %d threads", targets, len(own))
	}
	if got := p.Workers(); got != 1 {
		t.Errorf("%d workers, want 1", got)
	}
}

func TestReporterAllocatesNothingAndWritesOnceForAnOperation(t *testing.T) {
	const n = 1000
	p := newPool(t, nil)
	got := do[cost](t, p, worker.Request{Worker: "w", Target: "t", Task: "allocate", Params: n})
	if got.Allocations != 0 {
		t.Errorf("%v allocations for an operation with two events, want 0", got.Allocations)
	}
	if got.Writes != n {
		t.Errorf("%d write calls for %d operations", got.Writes, n)
	}
}

func TestReadingASampleAllocatesNothing(t *testing.T) {
	const n = 100_000
	p := newPool(t, nil)
	req := worker.Request{Worker: "w", Target: "t", Task: "events", OnEvent: func([]byte) {}}
	allocations := func(n int) uint64 {
		var before, after runtime.MemStats
		req.Params = n
		runtime.ReadMemStats(&before)
		do[int](t, p, req)
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	allocations(1) // starts the worker
	if few, many := allocations(1), allocations(n); many > few+n/100 {
		t.Errorf("%d allocations for %d samples, %d for one", many, n, few)
	}
}
