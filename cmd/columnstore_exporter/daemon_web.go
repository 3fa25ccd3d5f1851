//go:build linux

package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/version"
	"go.uber.org/zap/exp/zapslog"

	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/web"
)

// assessInterval is how often the series of the nearest layout and of the predictions are brought up to date.
const assessInterval = 5 * time.Second

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
		Listening: d.announce,
	}, d.log)
}

// metricsHandler answers a scrape from memory; scrapes that overlap share one gathering. The web compresses.
func (d *exporterDaemon) metricsHandler() http.Handler {
	return promhttp.HandlerFor(d.registry, promhttp.HandlerOpts{
		Registry: d.registry, EnableOpenMetrics: true, CoalesceGather: true, DisableCompression: true,
		ErrorHandling: promhttp.ContinueOnError,
		ErrorLog:      slog.NewLogLogger(zapslog.NewHandler(d.log.Core()), slog.LevelError),
	})
}

// snapshot is the picture that the status page shows.
func (d *exporterDaemon) snapshot() status.Snapshot {
	s := status.Snapshot{
		Time: d.clock(), Started: d.started, Host: d.host, Version: version.Version, Workers: d.pool.Workers(),
		Settings: statusSettings(d.settings.Latency), Ready: d.monitor.Ready() == nil,
	}
	d.monitor.Fill(&s)
	if d.imports != nil {
		d.imports.Fill(&s)
	}
	if d.throughput != nil {
		d.throughput.Fill(&s)
	}
	return d.judge.Assess(s)
}

// jobAssess is the job that does so, as the label job has it.
const jobAssess = "assessment"

// assess publishes the nearest layout and the predictions.
func (d *exporterDaemon) assess(context.Context, time.Time) error {
	s := d.snapshot()
	d.baseline.Publish(s.Layout, s.Forecast)
	return nil
}
