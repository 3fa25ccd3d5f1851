package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/metrics"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/figures"
)

// fidelityRounds is how many rounds are compared; fewer tell less.
var fidelityRounds = flag.Int("rounds", 21, "rounds of the comparison with ioping and a loop in C")

const (
	fidelityReads    = 501
	fidelityInterval = 2 * time.Millisecond
)

// pacedBed is storage to measure.
type pacedBed struct {
	name      string
	directory string
	reads     int
	interval  time.Duration
	// server is one more process on the way of a read.
	server bool
	// bias is how many microseconds the median may be off that of the loop in C; NaN where nothing is aimed at.
	bias float64
}

func (bed pacedBed) pace() string { return fmt.Sprintf("%d each %v", bed.reads-1, bed.interval) }

// beds are the disk, a file system in memory behind the block layer, and storage that takes a known time.
func beds(b *testing.B) []pacedBed {
	b.Helper()
	out := []pacedBed{
		{"ext4 on the disk", b.TempDir(), fidelityReads, fidelityInterval, false, 15},
		{"XFS on a loop device in tmpfs", testbed.LoopInMemory(b, "xfs", 400<<20), fidelityReads, fidelityInterval, false, 5},
	}
	for _, delay := range []time.Duration{100 * time.Microsecond, 700 * time.Microsecond, 3300 * time.Microsecond} {
		directory := faultfs.Serve(b, faultfs.Read, delay)
		out = append(out, pacedBed{fmt.Sprintf("FUSE, %v a read", delay), directory, fidelityReads/2 + 1, delay + fidelityInterval, true, 5})
	}
	return out
}

// BenchmarkFidelity alternates with ioping and with a loop in C, and each of these with itself.
func BenchmarkFidelity(b *testing.B) {
	loop := cLoop(b)
	s := figures.New(b, "Fidelity: beside ioping and a loop in C", "make bench-fidelity")
	s.Say(`O_DIRECT reads of 4 KiB by a worker process of the daemon, by ioping 1.3 -D, and by a C program that does nothing but
		clock_nanosleep, clock_gettime, pread, clock_gettime (cmd/columnstore_exporter/testdata/bench/loop.c). They alternate; each
		ratio and each difference is the median over %d rounds, with its quartiles in brackets. Aimed at: a ratio of the medians
		within 2 %% of 1 where ioping's noise against itself allows that much to be told, one of the 99th percentiles within 10 %%, and
		a bias of the median against the C program of 5 µs at most, 15 µs on the disk. To wake a halted processor takes a virtual machine a
		third of a millisecond, which is chance: where a FUSE server takes part, all keep to one processor, elsewhere loops of the class
		SCHED_IDLE keep all processors awake.`, *fidelityRounds)
	for b.Loop() {
		var medians, tails, biases [][]string
		for _, bed := range beds(b) {
			found := bed.contest(b, loop)
			ratio, noise := ratios(found["ours"], found["ioping"], 0.5), ratios(found["ioping again"], found["ioping"], 0.5)
			medians = append(medians, []string{
				bed.name, bed.pace(), micros(found["ours"]), micros(found["ioping"]), figures.Spread(ratio), figures.Spread(noise), told(ratio, noise, 0.02),
			})
			ratio, noise = ratios(found["ours"], found["ioping"], 0.99), ratios(found["ioping again"], found["ioping"], 0.99)
			tails = append(tails, []string{bed.name, figures.Spread(ratio), figures.Spread(noise), told(ratio, noise, 0.1)})
			bias, chance := differences(found["ours"], found["C"], 0.5), differences(found["C again"], found["C"], 0.5)
			biases = append(biases, []string{
				bed.name, micros(found["C"]), figures.Spread(bias), figures.Spread(chance), fmt.Sprint(bed.bias),
				figures.Verdict(math.Abs(figures.Quantile(bias, 0.5)) <= bed.bias),
			})
		}
		s.Table(strings.Split("storage|reads, ms apart|ours µs|ioping µs|medians ours ÷ ioping|ioping ÷ itself|within 2 %", "|"), medians)
		s.Table(strings.Split("storage|p99 ours ÷ ioping|ioping ÷ itself|within 10 %", "|"), tails)
		s.Table(strings.Split("storage|C µs|ours − C µs|C − itself µs|at most|holds", "|"), biases)
	}
	s.Publish()
}

// contest lets all measure the bed by turns.
func (bed pacedBed) contest(b *testing.B, loop contender) map[string][][]time.Duration {
	b.Helper()
	if bed.server {
		defer onOneProcessor(b)()
	} else {
		defer testbed.Awake(b)()
	}
	ours := newExporter(b, metrics.NewStorage(prometheus.NewRegistry(), metrics.StorageSettings{}))
	defer ours.pool.Close()
	ours.measure(b, bed.directory, 2, fidelityInterval) // makes the probe file
	return contest(b, bed.directory, *fidelityRounds, bed.reads, bed.interval, []rival{
		{"ours", ours.measure}, {"ioping", ioping}, {"C", loop}, {"ioping again", ioping}, {"C again", loop},
	})
}

// onOneProcessor keeps this process, those that it has started and those that it starts to one processor until release.
func onOneProcessor(b *testing.B) (release func()) {
	b.Helper()
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		b.Fatal(err)
	}
	for cpu := 0; one.Count() == 0; cpu++ {
		if all.IsSet(cpu) {
			one.Set(cpu)
		}
	}
	keepTo(b, &one)
	return func() { keepTo(b, &all) }
}

func keepTo(b *testing.B, set *unix.CPUSet) {
	b.Helper()
	for _, pid := range append(children(b, os.Getpid()), os.Getpid()) {
		for _, id := range testbed.Threads(b, pid) {
			// A thread may have ended since.
			if err := unix.SchedSetaffinity(id, set); err != nil && !errors.Is(err, unix.ESRCH) {
				b.Fatal(err)
			}
		}
	}
}

// micros is the median over all rounds of the medians, in microseconds.
func micros(rounds [][]time.Duration) string {
	var medians []float64
	for _, r := range rounds {
		medians = append(medians, quantileOf(r, 0.5)*1e6)
	}
	return fmt.Sprintf("%.1f", figures.Quantile(medians, 0.5))
}

// told says whether a ratio is as near to 1 as it should be, or whether noise forbids to tell: the uncertainty of the
// median ratio of a rival with itself, 1.57 interquartile ranges by the root of their number (McGill et al., 1978), is
// added to the bound.
func told(ratio, noise []float64, bound float64) string {
	off := math.Abs(figures.Quantile(ratio, 0.5) - 1)
	uncertainty := 1.57 * (figures.Quantile(noise, 0.75) - figures.Quantile(noise, 0.25)) / math.Sqrt(float64(len(noise)))
	switch {
	case off <= bound:
		return "yes"
	case off <= bound+uncertainty:
		return fmt.Sprintf("noise of ±%.1f %%", 100*uncertainty)
	default:
		return "no"
	}
}
