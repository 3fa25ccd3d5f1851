//go:build linux

// Package metrics is what was seen, as Prometheus series: one file per subject, every name as the contract has it.
//
// Nothing here touches storage, database or network: a scrape reads memory.
package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const namespace = "columnstore"

// latencyBuckets returns the upper bounds of the classic buckets of all latency histograms in seconds. The lines that are
// drawn on dashboards (0.5, 0.7, 1, 3, 4 ms) are bounds of their own, so that a share below them is a ratio and no guess.
func latencyBuckets() []float64 {
	return []float64{
		50e-6, 100e-6, 150e-6, 200e-6, 300e-6, 400e-6, 500e-6, 600e-6, 700e-6, 850e-6,
		1e-3, 1.5e-3, 2e-3, 3e-3, 4e-3, 5e-3, 7.5e-3, 10e-3, 20e-3, 50e-3, 100e-3, 250e-3, 500e-3,
		1, 2.5, 5, 10, 30,
	}
}

// latencyHistogram returns options with classic buckets and native ones of factor 1.1, bounded in memory.
func latencyHistogram(subsystem, name, help string) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{
		Namespace:                       namespace,
		Subsystem:                       subsystem,
		Name:                            name,
		Help:                            help,
		Buckets:                         latencyBuckets(),
		NativeHistogramBucketFactor:     1.1,
		NativeHistogramMaxBucketNumber:  160,
		NativeHistogramMinResetDuration: time.Hour,
	}
}

func gauge(subsystem, name, help string) prometheus.GaugeOpts {
	return prometheus.GaugeOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help}
}

func counter(subsystem, name, help string) prometheus.CounterOpts {
	return prometheus.CounterOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help}
}

// constant registers a gauge that shows one of the settings.
func constant(r prometheus.Registerer, subsystem, name, help string, v float64) {
	g := prometheus.NewGauge(gauge(subsystem, name, help))
	g.Set(v)
	r.MustRegister(g)
}

// seconds is t as a Unix timestamp with fraction.
func seconds(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }
