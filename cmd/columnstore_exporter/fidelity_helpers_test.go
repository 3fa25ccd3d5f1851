package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/metrics"
	"github.com/columnstore/columnstore_exporter/pkg/tasks"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/figures"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// contender measures a directory with so many reads, one each interval, and returns what each took.
type contender func(b *testing.B, directory string, reads int, interval time.Duration) []time.Duration

// rival is what alternates with the others.
type rival struct {
	name    string
	measure contender
}

// contest lets the rivals alternate, whoever comes first, and returns what each found, round by round.
func contest(b *testing.B, directory string, rounds, reads int, interval time.Duration, rivals []rival) map[string][][]time.Duration {
	b.Helper()
	found := make(map[string][][]time.Duration)
	for round := range rounds {
		for i := range rivals {
			r := rivals[(round+i)%len(rivals)]
			found[r.name] = append(found[r.name], r.measure(b, directory, reads, interval))
		}
	}
	return found
}

// ratios compares two rivals by a quantile, round by round.
func ratios(one, other [][]time.Duration, quantile float64) (out []float64) {
	for i := range one {
		out = append(out, quantileOf(one[i], quantile)/quantileOf(other[i], quantile))
	}
	return out
}

// differences are how much one rival's quantile is above the other's, in microseconds, round by round.
func differences(one, other [][]time.Duration, quantile float64) (out []float64) {
	for i := range one {
		out = append(out, (quantileOf(one[i], quantile)-quantileOf(other[i], quantile))*1e6)
	}
	return out
}

// quantileOf returns a quantile in seconds.
func quantileOf(latencies []time.Duration, quantile float64) float64 {
	return figures.Quantile(latencies, quantile).Seconds()
}

// exporter is the daemon's side of the measurement, with workers and series as the daemon has them.
type exporter struct {
	pool    *worker.Pool
	client  *tasks.Client
	storage *metrics.Storage
}

func newExporter(b *testing.B, storage *metrics.Storage) *exporter {
	b.Helper()
	pool := worker.NewPool(workerOptions(time.Now, zap.NewNop()))
	b.Cleanup(pool.Close)
	return &exporter{pool: pool, client: tasks.NewClient(pool, topology.Sources{}), storage: storage}
}

// measure has a worker do a run.
func (e *exporter) measure(b *testing.B, directory string, reads int, interval time.Duration) []time.Duration {
	b.Helper()
	target := topology.Target{Kind: topology.KindExtra, Directory: directory}
	facts, err := e.client.Inspect(b.Context(), target)
	if err != nil {
		b.Fatal(err)
	}
	series := e.storage.Add(target, func() (string, time.Time, bool) { return "", time.Time{}, false })
	defer e.storage.Remove(series)
	latencies := make([]time.Duration, 0, reads)
	spec := latency.Spec{
		Directory: directory, Mount: facts.Mount, Host: "bench", Count: reads, Interval: interval, RequestSize: 4096, WorkingSet: 1 << 20,
	}
	result, err := e.client.Latency(b.Context(), target, spec, func(s latency.Sample) {
		series.Sample(s)
		if !s.WarmUp {
			latencies = append(latencies, s.Latency)
		}
	})
	if err != nil || result.Error != "" || result.IO != "direct" || result.DeviceRatio != nil && *result.DeviceRatio < 1 {
		b.Fatalf("the run did not measure: %v, %+v", err, result)
	}
	return latencies
}

// iopingLine is a request as ioping prints it; a warm-up has another remark behind it.
var iopingLine = regexp.MustCompile(`(?m)time=([0-9.]+) (ns|us|ms|s)( \((?:slow|fast)\))?$`)

func ioping(b *testing.B, directory string, reads int, interval time.Duration) (latencies []time.Duration) {
	b.Helper()
	output := runTool(b, "ioping", "-D", "-c", strconv.Itoa(reads), "-i", strconv.FormatFloat(interval.Seconds(), 'f', -1, 64), directory)
	for _, match := range iopingLine.FindAllStringSubmatch(output, -1) {
		d, err := time.ParseDuration(match[1] + match[2])
		if err != nil {
			b.Fatal(err)
		}
		latencies = append(latencies, d)
	}
	if len(latencies) != reads-1 {
		b.Fatalf("%d requests of ioping understood of %d:\n%s", len(latencies), reads-1, output)
	}
	return latencies
}

// cLoop builds the loop in C, which reads the exporter's own probe file.
func cLoop(b *testing.B) contender {
	b.Helper()
	program := filepath.Join(b.TempDir(), "loop")
	runTool(b, "gcc", "-O2", "-Wall", "-Werror", "-o", program, filepath.Join("testdata", "bench", "loop.c"))
	return func(b *testing.B, directory string, reads int, interval time.Duration) (latencies []time.Duration) {
		b.Helper()
		file := filepath.Join(directory, ".columnstore_exporter-bench.probe")
		for line := range strings.Lines(runTool(b, program, file, strconv.Itoa(reads), strconv.FormatInt(interval.Nanoseconds(), 10))) {
			ns, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
			if err != nil {
				b.Fatal(err)
			}
			latencies = append(latencies, time.Duration(ns))
		}
		return latencies
	}
}

// runTool runs a program that must succeed, and returns what it prints.
func runTool(b *testing.B, name string, args ...string) string {
	b.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(b.Context()), name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env = &stdout, &stderr, append(os.Environ(), "LC_ALL=C")
	if err := cmd.Run(); err != nil {
		b.Fatalf("%v: %v; `make deps` installs what is missing\n%s", cmd.Args, err, stderr.String())
	}
	return stdout.String()
}
