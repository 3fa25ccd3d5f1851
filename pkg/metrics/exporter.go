//go:build linux

package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/collectors/version"
)

const exporter = "exporter"

// Exporter holds the series about the exporter itself.
type Exporter struct {
	jobRestarts *prometheus.CounterVec
	lag         prometheus.Histogram
	overhead    prometheus.Gauge
}

// NewExporter registers the series about the exporter itself with r, those of the Go runtime and the process among them.
// workers and restarts are asked at each scrape; jobs are the names of all supervised jobs.
func NewExporter(r prometheus.Registerer, workers func() int, restarts func() uint64, jobs []string) *Exporter {
	e := &Exporter{
		jobRestarts: prometheus.NewCounterVec(counter(exporter, "job_restarts_total", "Restarts of a recurring job after an error or panic."), []string{"job"}),
		lag:         prometheus.NewHistogram(latencyHistogram(exporter, "schedule_lag_seconds", "How long after their time requests started.")),
		overhead:    prometheus.NewGauge(gauge(exporter, "measurement_overhead_seconds", "Median cost of timing an empty call in a worker.")),
	}
	for _, job := range jobs {
		e.jobRestarts.WithLabelValues(job)
	}
	r.MustRegister(
		e.jobRestarts, e.lag,
		prometheus.NewGaugeFunc(gauge(exporter, "workers", "Worker processes that are running."), func() float64 { return float64(workers()) }),
		prometheus.NewCounterFunc(counter(exporter, "worker_restarts_total", "Worker processes that ended unasked and were replaced."), func() float64 { return float64(restarts()) }),
		version.NewCollector("columnstore_exporter"),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return e
}

// JobRestarted counts a restart of a recurring job.
func (e *Exporter) JobRestarted(job string) { e.jobRestarts.WithLabelValues(job).Inc() }

// Lag records how long after its time a request started.
func (e *Exporter) Lag(d time.Duration) { e.lag.Observe(d.Seconds()) }

// RegisterOverhead publishes the median cost of timing an empty call, once it is known.
func (e *Exporter) RegisterOverhead(r prometheus.Registerer, d time.Duration) {
	e.overhead.Set(d.Seconds())
	_ = r.Register(e.overhead)
}
