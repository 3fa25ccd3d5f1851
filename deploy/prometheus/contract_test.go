package prometheus_test

import (
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/busynode"
)

// contract is what the exporter exports, by the name of the metric.
type contract map[string]metric

type metric struct {
	kind   dto.MetricType
	labels map[string]bool
}

// exported returns what a node publishes on which everything happens, and what Prometheus adds.
func exported(t *testing.T) contract {
	t.Helper()
	families, err := busynode.New().Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := contract{"up": {kind: dto.MetricType_GAUGE, labels: labels(nil)}}
	for _, family := range families {
		all[family.GetName()] = metric{kind: family.GetType(), labels: labels(family)}
	}
	return all
}

// labels are those of the series and those that any scrape adds.
func labels(family *dto.MetricFamily) map[string]bool {
	names := map[string]bool{"job": true, "instance": true}
	for _, series := range family.GetMetric() {
		for _, pair := range series.GetLabel() {
			names[pair.GetName()] = true
		}
	}
	return names
}

// find returns the metric that a series belongs to: of a classic histogram the name without its suffix.
func (c contract) find(series string) (metric, bool) {
	if m, ok := c[series]; ok {
		return m, true
	}
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		base, cut := strings.CutSuffix(series, suffix)
		if m, ok := c[base]; cut && ok && m.kind == dto.MetricType_HISTOGRAM {
			return m, true
		}
	}
	return metric{}, false
}

// accumulates tells whether only the growth of the metric means something.
func (m metric) accumulates() bool {
	return m.kind == dto.MetricType_COUNTER || m.kind == dto.MetricType_HISTOGRAM
}
