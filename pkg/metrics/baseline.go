//go:build linux

package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
)

// Baseline holds the series of the reference layouts and of what follows from them.
type Baseline struct {
	layouts   []string
	nearest   *prometheus.GaugeVec
	predicted *prometheus.GaugeVec
}

// NewBaseline registers the series with r and publishes the layouts.
func NewBaseline(r prometheus.Registerer, layouts []baseline.Layout) *Baseline {
	latency := prometheus.NewGaugeVec(gauge("baseline", "read_latency_seconds",
		"Mean read latency of the reference layouts. The published ones were taken with ioping's buffered mode on AWS, 4 vCPU, 16 GB."), []string{"layout", "kind", "dbroot"})
	ingest := prometheus.NewGaugeVec(gauge("baseline", "ingest_seconds",
		"How long the import of 10,000 rows x 250 columns took on the reference layouts, on their own host."), []string{"layout", "bound"})
	b := &Baseline{
		nearest: prometheus.NewGaugeVec(gauge(storage, "layout",
			"1 for the reference layout whose latencies are nearest to the measured ones, 0 for the others; absent until there is a measurement."), []string{"layout"}),
		predicted: prometheus.NewGaugeVec(gauge(ingestion, "predicted_seconds",
			"Estimate of the import of 10,000 rows x 250 columns from the measured latencies: C + 2828 L(dbroot) + 5944 L(bulkRollback). C is 1.55 s, that of the published host (AWS, 4 vCPU, 16 GB), until this node has a successful trial with cpimport, and then fitted to its own."), []string{"scenario"}),
	}
	r.MustRegister(latency, ingest, b.nearest, b.predicted)
	for _, l := range layouts {
		b.layouts = append(b.layouts, l.Name)
		for _, one := range l.Latencies {
			latency.WithLabelValues(l.Name, string(one.Kind), one.DBRoot).Set(one.Seconds)
		}
		if l.Ingest != nil {
			ingest.WithLabelValues(l.Name, "lower").Set(l.Ingest.Lower)
			ingest.WithLabelValues(l.Name, "upper").Set(l.Ingest.Upper)
		}
	}
	return b
}

// Publish shows the nearest layout and the predictions; what is not known is absent.
func (b *Baseline) Publish(nearest *baseline.Match, forecast *baseline.Forecast) {
	if nearest == nil {
		b.nearest.Reset()
	} else {
		for _, l := range b.layouts {
			b.nearest.WithLabelValues(l).Set(number(l == nearest.Layout))
		}
	}
	for _, scenario := range []baseline.Scenario{baseline.Now, baseline.FastRollback, baseline.AllLocal} {
		if s, ok := forecast.Seconds(scenario); ok {
			b.predicted.WithLabelValues(string(scenario)).Set(s)
		} else {
			b.predicted.DeleteLabelValues(string(scenario))
		}
	}
}
