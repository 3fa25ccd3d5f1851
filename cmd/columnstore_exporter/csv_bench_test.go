package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cptest"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/figures"
)

// BenchmarkCSV measures the making of the rows of an import trial.
func BenchmarkCSV(b *testing.B) {
	s := figures.New(b, "The rows of an import trial", "make bench-csv")
	s.Say("10,000 rows of 250 columns, made and thrown away on one processor; the time is the median of 101, the memory what one allocates in all.")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for b.Loop() {
		var times []float64
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 101 {
			begun := time.Now()
			if _, err := cptest.Write(b.Context(), io.Discard, 10_000); err != nil {
				b.Fatal(err)
			}
			times = append(times, time.Since(begun).Seconds())
		}
		runtime.ReadMemStats(&after)
		took, memory := figures.Quantile(times, 0.5), float64(after.TotalAlloc-before.TotalAlloc)/101/(1<<20)
		s.Table(strings.Split("|measured|at most|holds", "|"), [][]string{
			{"time, ms", fmt.Sprintf("%.1f", took*1e3), "60", figures.Verdict(took <= 60e-3)},
			{"memory, MiB", fmt.Sprintf("%.2f", memory), "4", figures.Verdict(memory <= 4)},
		})
	}
	s.Publish()
}
