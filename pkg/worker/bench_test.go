package worker_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// BenchmarkDo is the round trip of an empty task.
func BenchmarkDo(b *testing.B) {
	p := newPool(b, nil)
	req := worker.Request{Worker: "w", Target: "t", Task: "echo"}
	do[any](b, p, req)
	for b.Loop() {
		do[any](b, p, req)
	}
}

// BenchmarkSample is the way of one sample and one operation to the daemon.
func BenchmarkSample(b *testing.B) {
	p := newPool(b, nil)
	req := worker.Request{Worker: "w", Target: "t", Task: "events", Params: b.N, OnEvent: func([]byte) {}}
	b.ReportAllocs()
	do[int](b, p, req)
}

// BenchmarkInFlight is what a scrape pays for each target.
func BenchmarkInFlight(b *testing.B) {
	p := newPool(b, nil)
	path, _ := fifo(b)
	begin(b.Context(), p, worker.Request{Worker: "w", Target: "t", Task: "open", Params: path})
	waitInFlight(b, p, "t", "open")
	b.ReportAllocs()
	for b.Loop() {
		p.InFlight("t")
	}
}

// BenchmarkWorkerMemory reports the memory of a worker with eight targets that have had tasks.
func BenchmarkWorkerMemory(b *testing.B) {
	p := newPool(b, nil)
	for b.Loop() {
		for i := range 8 {
			do[int](b, p, worker.Request{Worker: "w", Target: strconv.Itoa(i), Task: "events", Params: 1000})
		}
	}
	rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid(b, p, "w")))
	if err != nil {
		b.Fatal(err)
	}
	for _, field := range []string{"Pss", "Private_Dirty"} {
		var kib float64
		_, after, _ := strings.Cut(string(rollup), "\n"+field+":")
		if _, err := fmt.Sscan(after, &kib); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(kib, "KiB-"+field)
	}
}
