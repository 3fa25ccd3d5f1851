package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cptest"
	"github.com/columnstore/columnstore_exporter/pkg/metrics"
	"github.com/columnstore/columnstore_exporter/pkg/metrics/gather"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/figures"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// stress is what the machine or the daemon does beside the measurement, until its context ends.
type stress struct {
	name string
	do   func(ctx context.Context, b *testing.B, registry *gather.Registry)
}

func stresses() []stress {
	return []stress{
		{"nothing else", func(context.Context, *testing.B, *gather.Registry) {}},
		{"all processors busy", busyProcessors},
		{"50 scrapes a second", scrapes},
		{"CSV in the daemon", generateCSV},
		{"garbage in the daemon", makeGarbage},
		{"all of it at once", func(ctx context.Context, b *testing.B, registry *gather.Registry) {
			var all sync.WaitGroup
			for _, one := range []func(context.Context, *testing.B, *gather.Registry){busyProcessors, scrapes, generateCSV, makeGarbage} {
				all.Go(func() { one(ctx, b, registry) })
			}
			all.Wait()
		}},
	}
}

// BenchmarkStress alternates with a loop in C while the machine is busy with something else, or the daemon is.
func BenchmarkStress(b *testing.B) {
	registry := gather.NewRegistry()
	storage := metrics.NewStorage(registry, metrics.StorageSettings{})
	for i := range 8 {
		storage.Add(topology.Target{Kind: topology.KindExtra, Directory: fmt.Sprintf("/other%d", i)}, func() (string, time.Time, bool) { return "", time.Time{}, false })
	}
	ours, loop := newExporter(b, storage), cLoop(b)
	rivals := []rival{{"ours", ours.measure}, {"C", loop}, {"C again", loop}}
	s := figures.New(b, "Fidelity under stress", "make bench-stress")
	s.Say(`The same worker process alternates with the same C program, %d reads each %v in each of %d rounds, while all processors are
		busy at normal priority, while the daemon answers 50 scrapes a second of eight directories, generates CSV without a pause, and
		allocates 1 GB/s. Aimed at: a bias of the median of 5 %% at most against the C program under the same stress.`,
		fidelityReads-1, fidelityInterval, *fidelityRounds)
	for b.Loop() {
		for _, storage := range []struct{ name, directory string }{
			{"ext4 on the disk", b.TempDir()}, {"XFS on a loop device in tmpfs", testbed.LoopInMemory(b, "xfs", 400<<20)},
		} {
			ours.measure(b, storage.directory, 2, fidelityInterval) // makes the probe file
			var rows [][]string
			for _, stress := range stresses() {
				rows = append(rows, underStress(b, stress, registry, storage.directory, rivals))
			}
			s.Say("%s:", storage.name)
			s.Table(strings.Split("beside it|C µs|ours µs|medians ours ÷ C|C ÷ itself|p99 ours ÷ C|C ÷ itself|within 5 %", "|"), rows)
		}
	}
	s.Publish()
}

func underStress(b *testing.B, stress stress, registry *gather.Registry, directory string, rivals []rival) []string {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	var over sync.WaitGroup
	over.Go(func() { stress.do(ctx, b, registry) })
	defer over.Wait()
	defer cancel()
	found := contest(b, directory, *fidelityRounds, fidelityReads, fidelityInterval, rivals)
	ratio, noise := ratios(found["ours"], found["C"], 0.5), ratios(found["C again"], found["C"], 0.5)
	return []string{
		stress.name, micros(found["C"]), micros(found["ours"]), figures.Spread(ratio), figures.Spread(noise),
		figures.Spread(ratios(found["ours"], found["C"], 0.99)), figures.Spread(ratios(found["C again"], found["C"], 0.99)), told(ratio, noise, 0.05),
	}
}

// busyProcessors runs a process that computes on each processor.
func busyProcessors(ctx context.Context, b *testing.B, _ *gather.Registry) {
	var all sync.WaitGroup
	for range runtime.NumCPU() {
		all.Go(func() {
			err := exec.CommandContext(ctx, "sh", "-c", "while :; do :; done").Run()
			if ctx.Err() == nil {
				b.Errorf("a process that computes ended: %v", err)
			}
		})
	}
	all.Wait()
}

// scrapes asks the daemon's own handler over HTTP, as Prometheus does.
func scrapes(ctx context.Context, b *testing.B, registry *gather.Registry) {
	server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	defer server.Close()
	ticker := time.NewTicker(time.Second / 50)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		response, err := http.Get(server.URL)
		if err != nil {
			b.Errorf("scrape: %v", err)
			return
		}
		if n, err := io.Copy(io.Discard, response.Body); err != nil || n == 0 {
			b.Errorf("scrape of %d bytes: %v", n, err)
		}
		response.Body.Close()
	}
}

func generateCSV(ctx context.Context, b *testing.B, _ *gather.Registry) {
	if _, err := cptest.Write(ctx, io.Discard, math.MaxInt64); ctx.Err() == nil {
		b.Errorf("the CSV ended: %v", err)
	}
}

// makeGarbage allocates a megabyte in small pieces each millisecond, so that the collector runs all the time.
func makeGarbage(ctx context.Context, _ *testing.B, _ *gather.Registry) {
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	live := make([]*[256]byte, 64<<10)
	for i := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for range 4 << 10 {
			live[i%len(live)] = new([256]byte)
			i++
		}
	}
}
