//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/common/version"
	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/config"
	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/metrics"
	"github.com/columnstore/columnstore_exporter/pkg/metrics/gather"
	"github.com/columnstore/columnstore_exporter/pkg/monitor"
	"github.com/columnstore/columnstore_exporter/pkg/schedule"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/tasks"
	"github.com/columnstore/columnstore_exporter/pkg/trials"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// stopBound is how long the end waits for probes that obey; with the workers' own second it stays below two.
const stopBound = 500 * time.Millisecond

// exporterDaemon is what serve wires together.
type exporterDaemon struct {
	settings   config.Settings
	host       string
	clock      func() time.Time // the wall clock
	started    time.Time
	log        *zap.Logger
	registry   *gather.Registry
	exporter   *metrics.Exporter
	baseline   *metrics.Baseline
	judge      *status.Judge
	pool       *worker.Pool
	client     *tasks.Client
	lane       *schedule.Lane
	duties     *schedule.Group // the daemon's own
	monitor    *monitor.Monitor
	imports    *trials.Imports    // nil where none are configured
	throughput *trials.Throughput // nil where none is configured
}

func newDaemon(ctx context.Context, settings config.Settings, host string, pool *worker.Pool, clock func() time.Time, log *zap.Logger) (*exporterDaemon, error) {
	d := &exporterDaemon{
		settings: settings, host: host, clock: clock, started: clock(), log: log, registry: gather.NewRegistry(), lane: schedule.NewLane(), pool: pool,
	}
	d.client = tasks.NewClient(d.pool, sources(settings.Discovery))
	layouts, err := readLayouts(ctx, d.client, settings.BaselinesFile)
	if err != nil {
		return nil, err
	}
	d.judge, d.baseline = status.NewJudge(layouts), metrics.NewBaseline(d.registry, layouts)
	d.exporter = metrics.NewExporter(d.registry, d.pool.Workers, d.pool.Restarts, slices.Concat(monitor.Jobs(), trials.Jobs(), []string{jobAssess}))
	d.duties = schedule.NewGroup(schedule.Options{Clock: clock, Log: log, OnRestart: d.exporter.JobRestarted})
	streams := metrics.NewThroughput(d.registry, settings.Throughput.Interval)
	d.monitor = d.newMonitor(streams)
	if settings.Throughput.Interval > 0 {
		if d.throughput, err = d.newThroughput(streams); err != nil {
			return nil, err
		}
	}
	if !settings.Ingest.Configured() {
		metrics.NewIngest(d.registry, 0) // so that the counters are there, at 0
		return d, nil
	}
	d.imports, err = d.newImports()
	if err != nil {
		return nil, err
	}
	return d, nil
}

// newMonitor wires the latency runs.
func (d *exporterDaemon) newMonitor(streams *metrics.Throughput) *monitor.Monitor {
	c := d.settings.Latency
	return monitor.New(monitor.Options{
		Probes:       d.client,
		Storage:      metrics.NewStorage(d.registry, metrics.StorageSettings{Interval: c.Interval, RequestInterval: c.RequestInterval, LatencyTarget: c.Target}),
		BulkRollback: metrics.NewBulkRollback(d.registry),
		Followers:    []monitor.Follower{streams},
		Lag:          d.exporter.Lag, Restarted: d.exporter.JobRestarted, Lane: d.lane,
		Spec: latencySpec(c, d.host), Interval: c.Interval, DiscoveryInterval: d.settings.Discovery.Interval, Log: d.log, Clock: d.clock,
	})
}

// newImports wires the import trials.
func (d *exporterDaemon) newImports() (*trials.Imports, error) {
	options := ingestOptions(d.settings, d.log)
	options.DataFree, options.Remove = d.monitor.Free, d.client.Remove
	options.OnInFlight = func(started time.Time) { d.imports.InFlight(started) }
	runner, err := ingest.New(options)
	if err != nil {
		return nil, err
	}
	return trials.NewImports(trials.ImportOptions{
		Importer: runner, Ingest: metrics.NewIngest(d.registry, d.settings.Ingest.Interval), Database: metrics.NewDatabase(d.registry),
		Restarted: d.exporter.JobRestarted, Lane: d.lane, Means: d.means, Host: d.host, Interval: d.settings.Ingest.Interval, Log: d.log,
		Clock: d.clock,
	}), nil
}

// newThroughput wires the throughput tests.
func (d *exporterDaemon) newThroughput(streams *metrics.Throughput) (*trials.Throughput, error) {
	spec := throughputSpec(d.settings.Throughput, d.host)
	if err := spec.Validate(); err != nil {
		return nil, fmt.Errorf("throughput tests: %w", err)
	}
	counters, err := deviceCounters()
	if err != nil {
		return nil, err
	}
	return trials.NewThroughput(trials.ThroughputOptions{
		Directories: d.monitor, Streams: d.client, Metrics: streams, Utilization: counters.Utilization, Importing: importing,
		Restarted: d.exporter.JobRestarted, Lane: d.lane, Spec: spec, Interval: d.settings.Throughput.Interval, Log: d.log,
		Clock: d.clock,
	}), nil
}

// means are the latencies that are measured now, nil where they are not complete.
func (d *exporterDaemon) means() *baseline.Means {
	means := d.snapshot().Forecast.Means
	if !means.Complete {
		return nil
	}
	return &means
}

// probe runs the monitor and the trials until ctx ends.
func (d *exporterDaemon) probe(ctx context.Context) error {
	defer d.stop()
	if err := d.start(); err != nil {
		return err
	}
	d.log.Info("started", zap.String("version", version.Info()), zap.String("host", d.host), zap.Strings("listen", d.settings.Web.ListenAddresses))
	if overhead, err := d.client.Overhead(ctx); err == nil {
		d.exporter.RegisterOverhead(d.registry, overhead)
	} else if ctx.Err() == nil {
		d.log.Warn("measurement overhead is unknown", zap.Error(err))
	}
	<-ctx.Done()
	return nil
}

func (d *exporterDaemon) start() error {
	if err := d.duties.Add(schedule.Job{Name: jobAssess, Interval: assessInterval, Run: d.assess}); err != nil {
		return fmt.Errorf("start assessments: %w", err)
	}
	if err := d.monitor.Start(); err != nil {
		return fmt.Errorf("start probing: %w", err)
	}
	if d.imports != nil {
		if err := d.imports.Start(); err != nil {
			return fmt.Errorf("start import trials: %w", err)
		}
	}
	if d.throughput != nil {
		if err := d.throughput.Start(); err != nil {
			return fmt.Errorf("start throughput tests: %w", err)
		}
	}
	return nil
}

// stop ends what obeys and waits for nothing else, but for an import that would not survive the end of the process. The
// workers end with the pool.
func (d *exporterDaemon) stop() {
	var ending sync.WaitGroup
	ending.Go(func() { d.duties.Stop(stopBound) })
	ending.Go(func() { d.monitor.Stop(stopBound) })
	if d.imports != nil {
		ending.Go(func() { d.imports.Stop(importBound(d.settings.Ingest)) })
	}
	if d.throughput != nil {
		ending.Go(func() { d.throughput.Stop(stopBound) })
	}
	ending.Wait()
}
