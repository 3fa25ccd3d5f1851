package throughput_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/figures"
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
	// cpu is seconds of processor time a gigabyte, crc gigabytes of checksums a second of processor time.
	cpu, crc []float64
}

func (s *side) add(rate, cpu float64, d *iostat.Device, direction func(*iostat.Device) *iostat.Direction) {
	s.rates, s.cpu = append(s.rates, rate), append(s.cpu, cpu)
	if d != nil && direction(d) != nil {
		s.requests = append(s.requests, direction(d).RequestBytes)
	}
}

// BenchmarkThroughputFio compares with fio on the same directory, checksums on.
func BenchmarkThroughputFio(b *testing.B) {
	realtime(b)
	source := sourceOf(b, b.TempDir())
	s := figures.New(b, "Throughput: beside fio", "make bench-throughput")
	s.Say(`Requests of 1 MiB with O_DIRECT, checksums on, beside fio with bs=1m direct=1 numjobs=threads (writing with create_on_open=1
		fallocate=none, overwriting with overwrite=1), by turns in one directory on the disk, both at real-time priority. Each figure is the
		median over %d pairs; a ratio is the median of theirs, with its quartiles in brackets. Processor time is that of the threads that
		move and check blocks, and fio's usr_cpu + sys_cpu; fio makes no checksums. Aimed at: 0.97 of fio's rate at least and 1.3 of its
		processor time at most. The blocks of the exporter lie in one piece of memory each and fio's in small pages, so a device may be
		asked for larger requests: the columns of request sizes tell.`, benchPairs)
	for b.Loop() {
		var rows [][]string
		for _, kind := range []throughput.Test{throughput.Write, throughput.Overwrite, throughput.ReadTest} {
			for _, threads := range []int{1, 2, 4} {
				dir := b.TempDir()
				ours, fio := pairs(
					func(s *side) { measureOurs(b, s, spec(dir, source, kind, threads)) },
					func(s *side) { measureFio(b, s, dir, source, kind, threads) })
				rate, cpu := divide(ours.rates, fio.rates), divide(ours.cpu, fio.cpu)
				rows = append(rows, []string{
					fmt.Sprintf("%s, %d", kind, threads), megabytes(ours), megabytes(fio), figures.Spread(rate),
					figures.Verdict(figures.Quantile(rate, 0.5) >= 0.97), fmt.Sprintf("%.2f", figures.Quantile(ours.cpu, 0.5)),
					fmt.Sprintf("%.2f", figures.Quantile(fio.cpu, 0.5)), figures.Spread(cpu), figures.Verdict(figures.Quantile(cpu, 0.5) <= 1.3),
					kibibytes(ours), kibibytes(fio),
				})
			}
		}
		s.Table(strings.Split("test, threads|ours MB/s|fio MB/s|ours ÷ fio|≥ 0.97|ours s/GB|fio s/GB|ours ÷ fio|≤ 1.3|ours KiB/request|fio KiB/request", "|"), rows)
	}
	s.Publish()
}

func megabytes(s side) string { return fmt.Sprintf("%.0f", figures.Quantile(s.rates, 0.5)/1e6) }

func kibibytes(s side) string { return fmt.Sprintf("%.0f", figures.Quantile(s.requests, 0.5)/1024) }

// divide returns the ratios of the pairs: what slows the disk for longer than a pair slows both sides.
func divide(a, b []float64) (ratios []float64) {
	for i := range a {
		ratios = append(ratios, a[i]/b[i])
	}
	return ratios
}

// realtime lets this process and the fio that it starts go before whatever else wants the processors: both sides sleep most
// of the time, and what is measured is how fast they wake up to go on. It needs root.
func realtime(b *testing.B) {
	b.Helper()
	for _, id := range testbed.Threads(b, os.Getpid()) {
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
	gigabytes := float64(r.ReadBytes+r.WrittenBytes) / 1e9
	s.add(max(r.ReadRate(), r.WriteRate()), r.CPU*r.Seconds*float64(r.Threads)/gigabytes, r.Device, directionOf(spec.Tests[0]))
	if r.CRC > 0 {
		s.crc = append(s.crc, gigabytes/(r.CRC*r.Seconds*float64(r.Threads)))
	}
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
	rate, cpu, stats := fio(b, source, args)
	s.add(rate, cpu, stats.Device, directionOf(kind))
	removeAll(b, filepath.Join(dir, "fio.*"))
}

// fio returns the bytes per second and the seconds of processor time a gigabyte that a run of fio reports.
func fio(b *testing.B, source iostat.Source, args []string) (rate, cpu float64, stats iostat.Stats) {
	b.Helper()
	window, err := counters(b).Begin(source)
	if err != nil {
		b.Fatal(err)
	}
	output, err := exec.CommandContext(b.Context(), "fio", args...).Output()
	if err != nil {
		b.Fatalf("fio %v: %v; `make deps` installs fio", args, err)
	}
	stats, err = window.End()
	if err != nil {
		b.Fatal(err)
	}
	var report struct {
		Jobs []struct {
			Read, Write struct {
				BytesPerSecond float64 `json:"bw_bytes"`
				Bytes          float64 `json:"io_bytes"`
			}
			// In percent of the time of all jobs, which is in milliseconds.
			User   float64 `json:"usr_cpu"`
			System float64 `json:"sys_cpu"`
			Time   float64 `json:"job_runtime"`
		}
	}
	if err := json.Unmarshal(output, &report); err != nil || len(report.Jobs) != 1 {
		b.Fatalf("fio %v printed %s: %v", args, output, err)
	}
	job := report.Jobs[0]
	cpu = (job.User + job.System) / 100 * job.Time / 1e3 / ((job.Read.Bytes + job.Write.Bytes) / 1e9)
	return job.Read.BytesPerSecond + job.Write.BytesPerSecond, cpu, stats
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
