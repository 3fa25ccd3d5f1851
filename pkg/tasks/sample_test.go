package tasks_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/tasks"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// counter is a reporter that counts events, and keeps the last.
type counter struct {
	events int
	last   []byte
}

func (c *counter) Operation(string, int64) {}

func (c *counter) Event(payload []byte) {
	c.events++
	c.last = append(c.last[:0], payload...)
}

// run has a worker's handler do so many reads, and returns how many there were: those whose time passes meanwhile are left
// out.
func run(tb testing.TB, reporter *counter, reads int) (events int) {
	tb.Helper()
	params, err := json.Marshal(latency.Spec{
		Directory: testbed.Memory(tb), Host: "test", Count: reads, Interval: 2 * time.Millisecond, RequestSize: 4096, WorkingSet: 1 << 20,
	})
	if err != nil {
		tb.Fatal(err)
	}
	before := reporter.events
	result, err := tasks.Handlers()["latency"](tb.Context(), worker.Task{Name: "latency", Target: "t", Params: params, Reporter: reporter})
	if measured, ok := result.(latency.Result); err != nil || !ok || measured.Error != "" {
		tb.Fatalf("run: %+v, %v", result, err)
	}
	return reporter.events - before
}

// TestWorkerDoesNotAllocateForASample takes a long run and a short one: what a sample allocates is what they differ in.
func TestWorkerDoesNotAllocateForASample(t *testing.T) {
	var short, long int
	reporter := &counter{last: make([]byte, 0, 64)}
	base := testing.AllocsPerRun(1, func() { short = run(t, reporter, 20) })
	more := testing.AllocsPerRun(1, func() { long = run(t, reporter, 1000) })
	if long < short+100 {
		t.Fatalf("only %d reads in the long run and %d in the short one", long, short)
	}
	// A run allocates a few hundred times, and not always as often.
	if perSample := (more - base) / float64(long-short); perSample > 0.1 {
		t.Errorf("%.2f allocations a sample: %.0f for %d reads, %.0f for %d", perSample, base, short, more, long)
	}
}

// replay is a pool whose worker reports the same event again and again.
type replay struct {
	event []byte
	body  func(again func())
}

func (p replay) Do(_ context.Context, req worker.Request) (json.RawMessage, error) {
	p.body(func() { req.OnEvent(p.event) })
	return json.Marshal(latency.Result{})
}

func (replay) InFlight(string) (worker.Operation, bool) { return worker.Operation{}, false }

func (replay) Retain([]string) {}

// receive has a client take a sample again and again.
func receive(tb testing.TB, body func(again func())) {
	tb.Helper()
	reporter := &counter{}
	run(tb, reporter, 2)
	client := tasks.NewClient(replay{event: reporter.last, body: body}, topology.Sources{})
	var samples int
	if _, err := client.Latency(tb.Context(), topology.Target{}, latency.Spec{}, func(latency.Sample) { samples++ }); err != nil || samples == 0 {
		tb.Fatalf("%d samples, %v", samples, err)
	}
}

func TestClientDoesNotAllocateForASample(t *testing.T) {
	receive(t, func(again func()) {
		if n := testing.AllocsPerRun(1000, again); n != 0 {
			t.Errorf("%v allocations a sample", n)
		}
	})
}

// BenchmarkReceive is what a sample costs the client.
func BenchmarkReceive(b *testing.B) {
	b.ReportAllocs()
	receive(b, func(again func()) {
		for b.Loop() {
			again()
		}
	})
}

// BenchmarkRun is what a sample costs a worker, a read from memory included.
func BenchmarkRun(b *testing.B) {
	b.ReportAllocs()
	run(b, &counter{}, b.N+1)
}
