package monitor_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

// exposition returns the samples of one family in the text format, or of all families for an empty name.
func exposition(t *testing.T, g prometheus.Gatherer, name string) string {
	t.Helper()
	families, err := g.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, f := range families {
		if name != "" && f.GetName() != name {
			continue
		}
		if _, err := expfmt.MetricFamilyToText(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	var samples strings.Builder
	for line := range strings.Lines(b.String()) {
		if !strings.HasPrefix(line, "#") {
			samples.WriteString(line)
		}
	}
	return samples.String()
}

// value returns the value of one series, written as in the text format.
func value(t *testing.T, g prometheus.Gatherer, series string) float64 {
	t.Helper()
	for line := range strings.Lines(exposition(t, g, "")) {
		if rest, ok := strings.CutPrefix(line, series+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Errorf("no series %s", series)
	return 0
}
