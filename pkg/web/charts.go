//go:build linux

package web

import (
	"html/template"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/web/chart"
)

// scaleOf is the axis that all distributions share.
func scaleOf(s status.Snapshot) chart.Scale {
	var values []float64
	for _, t := range s.Targets {
		values = append(values, t.Recent...)
	}
	return chart.ScaleFor(values...)
}

func spark(s status.Snapshot, t status.Target) template.HTML {
	points := make([]chart.Point, len(t.History))
	for i, p := range t.History {
		points[i] = chart.Point{Time: p.Time, Value: p.Avg}
	}
	gap := 3 * time.Duration(s.Settings.IntervalSeconds*float64(time.Second))
	return chart.Spark(points, s.Time, gap, s.Settings.LatencyTargetSeconds)
}

// maxLanes bounds the layouts marked in a distribution; the published ones come first.
const maxLanes = 6

func lanes(layouts []baseline.Layout, kind topology.Kind) []chart.Lane {
	var lanes []chart.Lane
	for _, l := range layouts[:min(len(layouts), maxLanes)] {
		low, high := l.Range(kind)
		lanes = append(lanes, chart.Lane{Label: shorten(l.Title), Low: low, High: high})
	}
	return lanes
}

// rates draws the throughput per core; empty before the first run.
func rates(t *status.Throughput) template.HTML {
	if t == nil {
		return ""
	}
	var out []chart.Rate
	for _, r := range t.CoreRates() {
		out = append(out, chart.Rate{Label: r.Test, BytesPerSecond: r.BytesPerSecond})
	}
	if len(out) == 0 {
		return ""
	}
	return chart.Rates(out, baseline.CoreMinimum, baseline.CoreRecommended)
}

// shorten cuts a title of the user's own to what fits beside its mark.
func shorten(title string) string {
	const fits = 22
	if runes := []rune(title); len(runes) > fits {
		return string(runes[:fits-1]) + "…"
	}
	return title
}
