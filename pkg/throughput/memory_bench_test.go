package throughput_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// BenchmarkThroughputMemory holds the resident memory of a process that does nothing else against 16 MiB and 2 MiB a thread.
func BenchmarkThroughputMemory(b *testing.B) {
	for _, threads := range []int{1, 2, 8} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			spec := spec(b.TempDir(), sourceOf(b, b.TempDir()), throughput.Write, threads)
			spec.Tests, spec.MaxBytes, spec.Duration = throughput.Tests(), 128<<20, benchTime/4
			limit := (16 + 2*threads) << 10
			for b.Loop() {
				peak := peakKiB(b, spec)
				b.ReportMetric(float64(peak)/1024, "MiB")
				if peak > limit {
					b.Errorf("%d KiB were resident with %d threads, want %d at most", peak, threads, limit)
				}
			}
		})
	}
}

// peakKiB runs a spec in a process of its own and returns the most memory that it had.
func peakKiB(b *testing.B, spec throughput.Spec) int {
	b.Helper()
	process, output := start(b, spec)
	peak := -1
	for output.Scan() {
		if text, found := strings.CutPrefix(output.Text(), "VmHWM:"); found {
			peak, _ = strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(text), " kB"))
		}
	}
	if err := process.Wait(); err != nil || peak <= 0 {
		b.Fatalf("the process ended with %v, and said it had %d KiB", err, peak)
	}
	return peak
}
