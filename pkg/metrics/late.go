//go:build linux

package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// late is a gauge that is absent until it has a value, and again when the value is no longer known.
type late struct{ *lateCollector }

func newLate(r prometheus.Registerer, opts prometheus.GaugeOpts) late {
	l := late{&lateCollector{desc: prometheus.NewDesc(prometheus.BuildFQName(opts.Namespace, opts.Subsystem, opts.Name), opts.Help, nil, nil)}}
	r.MustRegister(l.lateCollector)
	return l
}

type lateCollector struct {
	desc *prometheus.Desc

	mu    sync.Mutex
	value float64
	known bool
}

func (l *lateCollector) set(v float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.value, l.known = v, true
}

func (l *lateCollector) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = false
}

// Describe implements prometheus.Collector.
func (l *lateCollector) Describe(ch chan<- *prometheus.Desc) { ch <- l.desc }

// Collect implements prometheus.Collector.
func (l *lateCollector) Collect(ch chan<- prometheus.Metric) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known {
		ch <- prometheus.MustNewConstMetric(l.desc, prometheus.GaugeValue, l.value)
	}
}
