//go:build linux

package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/version"
	"go.uber.org/zap"
	"go.uber.org/zap/exp/zapslog"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/config"
	"github.com/columnstore/columnstore_exporter/pkg/imports"
	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/metrics"
	"github.com/columnstore/columnstore_exporter/pkg/monitor"
	"github.com/columnstore/columnstore_exporter/pkg/schedule"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/tasks"
	"github.com/columnstore/columnstore_exporter/pkg/web"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// stopBound is how long the end waits for probes that obey; with the workers' own second it stays below two.
const stopBound = 500 * time.Millisecond

// exporterDaemon is what serve wires together.
type exporterDaemon struct {
	settings config.Settings
	host     string
	started  time.Time
	log      *zap.Logger
	registry *prometheus.Registry
	exporter *metrics.Exporter
	pool     *worker.Pool
	client   *tasks.Client
	monitor  *monitor.Monitor
	imports  *imports.Imports // nil where none are configured
}

func newDaemon(settings config.Settings, host string, log *zap.Logger) (*exporterDaemon, error) {
	d := &exporterDaemon{settings: settings, host: host, started: time.Now(), log: log, registry: prometheus.NewRegistry()}
	d.pool = worker.NewPool(workerOptions(log))
	d.client = tasks.NewClient(d.pool, sources(settings.Discovery))
	d.exporter = metrics.NewExporter(d.registry, d.pool.Workers, d.pool.Restarts, slices.Concat(monitor.Jobs(), imports.Jobs()))
	lane := schedule.NewLane()
	d.monitor = monitor.New(monitor.Options{
		Probes: d.client,
		Storage: metrics.NewStorage(d.registry, metrics.StorageSettings{
			Interval: settings.Latency.Interval, RequestInterval: settings.Latency.RequestInterval, LatencyTarget: settings.Latency.Target,
		}),
		BulkRollback: metrics.NewBulkRollback(d.registry),
		Lag:          d.exporter.Lag, Restarted: d.exporter.JobRestarted, Lane: lane,
		Spec: latencySpec(settings.Latency, host), Interval: settings.Latency.Interval,
		DiscoveryInterval: settings.Discovery.Interval, Log: log,
	})
	if !settings.Ingest.Configured() {
		return d, nil
	}
	var err error
	d.imports, err = d.newImports(lane)
	return d, err
}

// newImports wires the import trials.
func (d *exporterDaemon) newImports(lane *schedule.Lane) (*imports.Imports, error) {
	options := ingestOptions(d.settings, d.log)
	options.DataFree, options.Remove = d.monitor.Free, d.client.Remove
	options.OnInFlight = func(started time.Time) { d.imports.InFlight(started) }
	runner, err := ingest.New(options)
	if err != nil {
		return nil, err
	}
	return imports.New(imports.Options{
		Runner: runner, Ingest: metrics.NewIngest(d.registry, d.settings.Ingest.Interval), Database: metrics.NewDatabase(d.registry),
		Restarted: d.exporter.JobRestarted, Lane: lane, Means: d.means, Host: d.host, Interval: d.settings.Ingest.Interval, Log: d.log,
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
	if err := d.monitor.Start(); err != nil {
		return fmt.Errorf("start probing: %w", err)
	}
	if d.imports != nil {
		if err := d.imports.Start(); err != nil {
			return fmt.Errorf("start import trials: %w", err)
		}
	}
	d.log.Info("started", zap.String("version", version.Info()), zap.String("host", d.host), zap.Strings("listen", d.settings.Web.ListenAddresses))
	if overhead, err := d.client.Overhead(ctx); err == nil {
		d.exporter.RegisterOverhead(d.registry, overhead)
	} else if ctx.Err() == nil {
		d.log.Warn("measurement overhead is unknown", zap.Error(err))
	}
	<-ctx.Done()
	d.stop()
	return nil
}

// stop ends what obeys and waits for nothing else, but for an import that would not survive the end of the process.
func (d *exporterDaemon) stop() {
	var ending sync.WaitGroup
	ending.Go(func() { d.monitor.Stop(stopBound) })
	if d.imports != nil {
		ending.Go(func() { d.imports.Stop(importBound(d.settings.Ingest)) })
	}
	ending.Wait()
	d.pool.Close()
}

// serveHTTP answers until ctx ends.
func (d *exporterDaemon) serveHTTP(ctx context.Context) error {
	handler, err := web.New(web.Options{
		Snapshot: d.snapshot, Metrics: d.metricsHandler(), Healthy: d.monitor.Healthy, Ready: d.monitor.Ready,
		PProf: d.settings.PProf, Log: d.log,
	})
	if err != nil {
		return fmt.Errorf("make the pages: %w", err)
	}
	return web.Serve(ctx, handler, web.ListenOptions{
		Addresses: d.settings.Web.ListenAddresses, SystemdSocket: d.settings.Web.SystemdSocket, ConfigFile: d.settings.Web.ConfigFile,
	}, d.log)
}

// metricsHandler answers a scrape from memory; scrapes that overlap share one gathering.
func (d *exporterDaemon) metricsHandler() http.Handler {
	return promhttp.HandlerFor(d.registry, promhttp.HandlerOpts{
		Registry: d.registry, EnableOpenMetrics: true, CoalesceGather: true, ErrorHandling: promhttp.ContinueOnError,
		ErrorLog: slog.NewLogLogger(zapslog.NewHandler(d.log.Core()), slog.LevelError),
	})
}

// snapshot is the picture that the status page shows.
func (d *exporterDaemon) snapshot() status.Snapshot {
	s := status.Snapshot{
		Time: time.Now(), Started: d.started, Host: d.host, Version: version.Version, Workers: d.pool.Workers(),
		Settings: statusSettings(d.settings.Latency), Ready: d.monitor.Ready() == nil,
	}
	d.monitor.Fill(&s)
	if d.imports != nil {
		d.imports.Fill(&s)
	}
	return s.Assess(baseline.Published(), "")
}

// watchSignals carries out what signals ask for, until ctx ends.
func (d *exporterDaemon) watchSignals(ctx context.Context) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGUSR1)
	defer signal.Stop(signals)
	for {
		select {
		case <-ctx.Done():
			return nil
		case s := <-signals:
			d.carryOut(s)
		}
	}
}

func (d *exporterDaemon) carryOut(s os.Signal) {
	switch {
	case s == syscall.SIGHUP:
		d.log.Info("discovery asked for by signal")
		d.monitor.Rediscover()
	case d.imports == nil:
		d.log.Warn("import trial asked for by signal, but none is configured: set COLUMNSTORE_EXPORTER_INGEST_DSN")
	default:
		d.log.Info("import trial asked for by signal")
		d.imports.Trigger()
	}
}

// keepAlive tells systemd that the daemon is alive, as often as its watchdog asks for. That does not depend on storage.
func (d *exporterDaemon) keepAlive(ctx context.Context) error {
	defer func() { _, _ = daemon.SdNotify(false, daemon.SdNotifyStopping) }()
	interval, err := daemon.SdWatchdogEnabled(false)
	if err != nil || interval == 0 {
		<-ctx.Done()
		return nil //nolint:nilerr // without a watchdog there is nothing to tell
	}
	ticker := time.NewTicker(interval / 2)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			_, _ = daemon.SdNotify(false, daemon.SdNotifyWatchdog)
		}
	}
}
