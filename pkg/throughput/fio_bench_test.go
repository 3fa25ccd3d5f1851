package throughput_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"text/tabwriter"
	"time"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

const (
	// fileBytes is the size of the file of each thread, on both sides.
	fileBytes = 128 << 20
	// benchTime is how long each side of a pair overwrites or reads; extending ends with the file.
	benchTime = time.Second
	// benchPairs is how many pairs alternate. The figure of each comparison is the median.
	benchPairs = 11
)

// side is one side's figures of one comparison, one a pair.
type side struct {
	rates, requests []float64
}

func (s *side) add(rate float64, d *iostat.Device, direction func(*iostat.Device) *iostat.Direction) {
	s.rates = append(s.rates, rate)
	if d != nil && direction(d) != nil {
		s.requests = append(s.requests, direction(d).RequestBytes)
	}
}

// BenchmarkThroughputFio compares with fio on the same directory, checksums on. Its ratio is ours ÷ fio. It is far above 1
// where the processor moves the data, as on a virtual disk: fio's blocks lie strewn over memory, ours in one piece.
func BenchmarkThroughputFio(b *testing.B) {
	realtime(b)
	source := sourceOf(b, b.TempDir())
	table := newTable("test\tthreads\tours MB/s\tfio MB/s\tours/fio\tours KiB/request\tfio KiB/request\t")
	defer table.print()
	for _, kind := range []throughput.Test{throughput.Write, throughput.Overwrite, throughput.ReadTest} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", kind, threads), func(b *testing.B) {
				dir := b.TempDir()
				for b.Loop() {
					ours, fio := pairs(
						func(s *side) { measureOurs(b, s, spec(dir, source, kind, threads)) },
						func(s *side) { measureFio(b, s, dir, source, kind, threads) })
					table.row(string(kind), threads, ours, fio)
					b.ReportMetric(ratio(ours, fio), "ours/fio")
				}
			})
		}
	}
}

// BenchmarkThroughputCRC compares one thread with checksums and without. Its ratio is on ÷ off. Where the processor moves the
// data, reads pay for the cache lines that the checksum takes from it: some 40 µs a block.
func BenchmarkThroughputCRC(b *testing.B) {
	realtime(b)
	source := sourceOf(b, b.TempDir())
	table := newTable("test\tthreads\ton MB/s\toff MB/s\ton/off\ton KiB/request\toff KiB/request\t")
	defer table.print()
	for _, kind := range throughput.Tests() {
		b.Run(string(kind), func(b *testing.B) {
			with := spec(b.TempDir(), source, kind, 1)
			without := with
			without.CRC = false
			for b.Loop() {
				on, off := pairs(
					func(s *side) { measureOurs(b, s, with) },
					func(s *side) { measureOurs(b, s, without) })
				table.row(string(kind), 1, on, off)
				b.ReportMetric(ratio(on, off), "on/off")
			}
		})
	}
}

// realtime lets this process and the fio that it starts go before whatever else wants the processors: both sides sleep most
// of the time, and what is measured is how fast they wake up to go on. It needs root.
func realtime(b *testing.B) {
	b.Helper()
	threads, err := filepath.Glob("/proc/self/task/*")
	if err != nil {
		b.Fatal(err)
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(filepath.Base(thread))
		if err != nil {
			b.Fatal(err)
		}
		// A thread that has ended since needs no priority; those that begin later have that of their makers.
		attributes := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 1}
		if err := unix.SchedSetAttr(id, &attributes, 0); err != nil && !errors.Is(err, unix.ESRCH) {
			b.Fatalf("raise the priority of thread %d: %v; run this as root", id, err)
		}
	}
}

// pairs lets two sides alternate, and which of them begins, too. The first pair only warms up.
func pairs(one, other func(*side)) (a, b side) {
	one(&side{})
	other(&side{})
	for i := range benchPairs {
		if i%2 == 0 {
			one(&a)
			other(&b)
		} else {
			other(&b)
			one(&a)
		}
	}
	return a, b
}

// ratio is the median of the ratios of the pairs: what slows the disk for longer than a pair slows both sides.
func ratio(a, b side) float64 {
	ratios := make([]float64, len(a.rates))
	for i := range ratios {
		ratios[i] = a.rates[i] / b.rates[i]
	}
	return median(ratios)
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

func spec(dir string, source iostat.Source, kind throughput.Test, threads int) throughput.Spec {
	s := throughput.Spec{
		Directory: dir, Host: "bench", Source: source, Tests: []throughput.Test{kind}, Duration: benchTime,
		Threads: threads, BlockSize: 1 << 20, MaxBytes: int64(threads) * fileBytes, CRC: true,
	}
	if kind == throughput.Write {
		s.Duration = time.Minute
	}
	return s
}

func measureOurs(b *testing.B, s *side, spec throughput.Spec) {
	b.Helper()
	r := runOne(b, spec)
	s.add(max(r.ReadRate(), r.WriteRate()), r.Device, directionOf(spec.Tests[0]))
}

func directionOf(kind throughput.Test) func(*iostat.Device) *iostat.Direction {
	if kind == throughput.ReadTest || kind == throughput.SkipRead {
		return func(d *iostat.Device) *iostat.Direction { return d.Read }
	}
	return func(d *iostat.Device) *iostat.Direction { return d.Write }
}

// measureFio runs fio, which lays out the files before it overwrites or reads them, as we do.
func measureFio(b *testing.B, s *side, dir string, source iostat.Source, kind throughput.Test, threads int) {
	b.Helper()
	args := []string{
		"--name=fio", "--directory=" + dir, "--size=" + strconv.Itoa(fileBytes), "--numjobs=" + strconv.Itoa(threads),
		"--bs=1m", "--direct=1", "--group_reporting", "--output-format=json",
	}
	args = append(args, map[throughput.Test][]string{
		throughput.Write:     {"--rw=write", "--create_on_open=1", "--fallocate=none"},
		throughput.Overwrite: {"--rw=write", "--overwrite=1", "--time_based", "--runtime=" + benchTime.String()},
		throughput.ReadTest:  {"--rw=read", "--time_based", "--runtime=" + benchTime.String()},
	}[kind]...)
	rate, stats := fio(b, source, args)
	s.add(rate, stats.Device, directionOf(kind))
	removeAll(b, filepath.Join(dir, "fio.*"))
}

// fio returns the bytes per second that a run of fio reports.
func fio(b *testing.B, source iostat.Source, args []string) (float64, iostat.Stats) {
	b.Helper()
	window, err := counters(b).Begin(source)
	if err != nil {
		b.Fatal(err)
	}
	output, err := exec.CommandContext(b.Context(), "fio", args...).Output()
	if err != nil {
		b.Fatalf("fio %v: %v; `make deps` installs fio", args, err)
	}
	stats, err := window.End()
	if err != nil {
		b.Fatal(err)
	}
	var report struct {
		Jobs []struct {
			Read, Write struct {
				BytesPerSecond float64 `json:"bw_bytes"`
			}
		}
	}
	if err := json.Unmarshal(output, &report); err != nil || len(report.Jobs) != 1 {
		b.Fatalf("fio %v printed %s: %v", args, output, err)
	}
	return report.Jobs[0].Read.BytesPerSecond + report.Jobs[0].Write.BytesPerSecond, stats
}

func removeAll(b *testing.B, pattern string) {
	b.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		b.Fatalf("nothing to remove at %s: %v", pattern, err)
	}
	for _, name := range names {
		if err := os.Remove(name); err != nil {
			b.Fatal(err)
		}
	}
}

// table is what a benchmark prints when it is over.
type table struct{ w *tabwriter.Writer }

func newTable(header string) table {
	t := table{w: tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)}
	fmt.Fprintln(t.w, header)
	return t
}

func (t table) row(test string, threads int, a, b side) {
	fmt.Fprintf(t.w, "%s\t%d\t%.0f\t%.0f\t%.3f\t%.0f\t%.0f\t\n", test, threads, median(a.rates)/1e6, median(b.rates)/1e6, ratio(a, b),
		median(a.requests)/1024, median(b.requests)/1024)
}

func (t table) print() { _ = t.w.Flush() }
