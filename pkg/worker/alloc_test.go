package worker_test

import (
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// TestPoolDoesNotAllocateForASample takes a long task and a short one: what a sample allocates is what they differ in.
func TestPoolDoesNotAllocateForASample(t *testing.T) {
	p := newPool(t, nil)
	task := func(samples int) func() {
		return func() {
			do[int](t, p, worker.Request{Worker: "w", Target: "t", Task: "events", Params: samples, OnEvent: func([]byte) {}})
		}
	}
	const short, long = 100, 10_100
	base := testing.AllocsPerRun(1, task(short))
	more := testing.AllocsPerRun(1, task(long))
	// A task allocates some dozens of times, and not always as often.
	if perSample := (more - base) / (long - short); perSample > 0.01 {
		t.Errorf("%.3f allocations a sample: %.0f for %d, %.0f for %d", perSample, base, short, more, long)
	}
}
