//go:build linux

package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
)

const ingestion = "ingest"

// steps are what cpimport reports of itself, in its order: the values of the label step.
func steps() []string { return []string{"job_load", "preprocess", "load", "total"} }

// Ingest holds the series of the import trials.
type Ingest struct {
	duration     *prometheus.HistogramVec
	lastDuration *prometheus.GaugeVec
	lastRows     *prometheus.GaugeVec
	lastBytes    *prometheus.GaugeVec
	steps        *prometheus.GaugeVec
	trials       prometheus.Counter
	failures     *prometheus.CounterVec
	skipped      *prometheus.CounterVec
	inFlight     prometheus.Gauge
	lastSuccess  late
	tableRows    late
}

// NewIngest registers the series of import trials with r. Interval is the time from the start of one trial to the start of
// the next.
func NewIngest(r prometheus.Registerer, interval time.Duration) *Ingest {
	method := []string{"method"}
	i := &Ingest{
		duration:     prometheus.NewHistogramVec(latencyHistogram(ingestion, "duration_seconds", "Wall clock of the import alone, of successful trials."), method),
		lastDuration: prometheus.NewGaugeVec(gauge(ingestion, "last_duration_seconds", "Wall clock of the import of the last successful trial."), method),
		lastRows:     prometheus.NewGaugeVec(gauge(ingestion, "last_rows", "Rows imported by the last successful trial."), method),
		lastBytes:    prometheus.NewGaugeVec(gauge(ingestion, "last_bytes", "Bytes of CSV imported by the last successful trial."), method),
		steps:        prometheus.NewGaugeVec(gauge(ingestion, "step_duration_seconds", "Steps of the last successful import as cpimport reports them."), []string{"method", "step"}),
		trials:       prometheus.NewCounter(counter(ingestion, "trials_total", "Import trials that came to an end, successful or not.")),
		failures:     prometheus.NewCounterVec(counter(ingestion, "failures_total", "Import trials that failed, by reason."), []string{"reason"}),
		skipped:      prometheus.NewCounterVec(counter(ingestion, "skipped_total", "Import trials that were due and not started, by reason."), []string{"reason"}),
		inFlight:     prometheus.NewGauge(gauge(ingestion, "in_flight_start_timestamp_seconds", "Start of the import under way, 0 when idle.")),
		lastSuccess:  newLate(r, gauge(ingestion, "last_success_timestamp_seconds", "When the last successful trial ended.")),
		tableRows:    newLate(r, gauge(ingestion, "table_rows", "Rows in the trial's table at the last count.")),
	}
	constant(r, ingestion, "interval_seconds", "Time from the start of one import trial to the start of the next; 0 means off.", interval.Seconds())
	for _, f := range ingest.FailureReasons() {
		i.failures.WithLabelValues(string(f))
	}
	for _, s := range ingest.SkipReasons() {
		i.skipped.WithLabelValues(string(s))
	}
	r.MustRegister(i.duration, i.lastDuration, i.lastRows, i.lastBytes, i.steps, i.trials, i.failures, i.skipped, i.inFlight)
	return i
}

// InFlight publishes the start of an import, the zero time when there is none.
func (i *Ingest) InFlight(started time.Time) {
	if started.IsZero() {
		i.inFlight.Set(0)
		return
	}
	i.inFlight.Set(seconds(started))
}

// Trial publishes a finished trial.
func (i *Ingest) Trial(t ingest.Trial, ended time.Time) {
	i.trials.Inc()
	if t.TableRows > 0 {
		i.tableRows.set(float64(t.TableRows))
	}
	if t.Failure != "" {
		i.failures.WithLabelValues(string(t.Failure)).Inc()
		return
	}
	i.duration.WithLabelValues(t.Method).Observe(t.Seconds)
	i.lastDuration.WithLabelValues(t.Method).Set(t.Seconds)
	i.lastRows.WithLabelValues(t.Method).Set(float64(t.Rows))
	i.lastBytes.WithLabelValues(t.Method).Set(float64(t.Bytes))
	for _, step := range steps() {
		if s, ok := t.Steps[step]; ok {
			i.steps.WithLabelValues(t.Method, step).Set(s)
		}
	}
	i.lastSuccess.set(seconds(ended))
}

// Skip counts a trial that was due and not started.
func (i *Ingest) Skip(reason outcome.Skip) { i.skipped.WithLabelValues(string(reason)).Inc() }
