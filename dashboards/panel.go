//go:build linux

package dashboards

import (
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/bargauge"
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

// runbook is where alerts and panels say what to do; its sections are named after the alerts.
const runbook = "https://github.com/columnstore/columnstore_exporter/blob/main/deploy/runbook.md"

// The grid of a dashboard is 24 units wide.
const (
	half  = 12
	whole = 24

	statHeight  = 4
	graphHeight = 9
)

// minimumStep is the least distance of a graph's points. It makes $__rate_interval longer than the default interval of
// latency runs, so that each point stands for a whole run at least.
const minimumStep = "1m"

// panel is what panels of all kinds have.
type panel struct {
	title       string
	description string
	unit        string
	width       uint32
	alert       string // its section in the runbook says what to do
	queries     []query
}

// panelBuilder is what the builders of all kinds of panels have.
type panelBuilder[B any] interface {
	Title(title string) B
	Description(description string) B
	Unit(unit string) B
	Span(width uint32) B
	Height(height uint32) B
	Datasource(source common.DataSourceRef) B
	Links(links []cog.Builder[dashboard.DashboardLink]) B
	WithTarget(target cog.Builder[variants.Dataquery]) B
}

// build gives b what p says; kind makes each query what that kind of panel needs.
func build[B panelBuilder[B]](b B, p panel, height uint32, kind func(*prometheus.DataqueryBuilder)) B {
	b = b.Title(p.title).Description(p.description).Unit(p.unit).Span(p.width).Height(height).Datasource(source())
	if p.alert != "" {
		link := dashboard.NewDashboardLinkBuilder("Runbook: " + p.alert).Type(dashboard.DashboardLinkTypeLink).
			Url(runbook + "#" + strings.ToLower(p.alert)).TargetBlank(true)
		b = b.Links([]cog.Builder[dashboard.DashboardLink]{link})
	}
	for i, q := range p.queries {
		target := prometheus.NewDataqueryBuilder().RefId(refID(i)).Datasource(source()).
			EditorMode(prometheus.QueryEditorModeCode).Expr(q.expr).LegendFormat(q.legend)
		kind(target)
		b = b.WithTarget(target)
	}
	return b
}

// refID names a panel's queries A, B, C, ...
func refID(i int) string { return string(rune('A' + i)) }

// source is the Prometheus that was chosen at the top of the dashboard.
func source() common.DataSourceRef {
	return common.DataSourceRef{Type: new("prometheus"), Uid: new("${datasource}")}
}

func now(q *prometheus.DataqueryBuilder)   { q.Instant() }
func graph(q *prometheus.DataqueryBuilder) { q.Range().Interval(minimumStep) }
func cells(q *prometheus.DataqueryBuilder) {
	q.Range().Interval(minimumStep).Format(prometheus.PromQueryFormatHeatmap)
}

// number shows what is now as large figures on the colour of the step that they reach.
func number(p panel, steps ...dashboard.Threshold) *stat.PanelBuilder {
	return build(stat.NewPanelBuilder(), p, statHeight, now).
		Thresholds(thresholds(steps)).
		ColorMode(common.BigValueColorModeBackground).
		GraphMode(common.BigValueGraphModeNone).
		Orientation(common.VizOrientationAuto).
		ReduceOptions(last())
}

// lines shows what was over time, from 0 up.
func lines(p panel) *timeseries.PanelBuilder {
	return curves(p).Min(0)
}

// latencies shows durations that differ by orders of magnitude.
func latencies(p panel) *timeseries.PanelBuilder {
	p.unit = units.Seconds
	return curves(p).ScaleDistribution(common.NewScaleDistributionConfigBuilder().Type(common.ScaleDistributionLog).Log(10))
}

func curves(p panel) *timeseries.PanelBuilder {
	return build(timeseries.NewPanelBuilder(), p, graphHeight, graph).
		LineWidth(1).
		FillOpacity(0).
		ShowPoints(common.VisibilityModeNever).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending)).
		Legend(common.NewVizLegendOptionsBuilder().
			ShowLegend(true).
			DisplayMode(common.LegendDisplayModeTable).
			Placement(common.LegendPlacementBottom).
			Calcs([]string{"lastNotNull", "max"}))
}

// counts shows how many of what happened, one bar upon the other. Where nothing happened it is empty.
func counts(p panel) *timeseries.PanelBuilder {
	p.unit = units.Short
	return lines(p).
		DrawStyle(common.GraphDrawStyleBars).
		FillOpacity(80).
		Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal)).
		Decimals(0).
		NoValue("none")
}

// bars compares what is now.
func bars(p panel, steps ...dashboard.Threshold) *bargauge.PanelBuilder {
	return build(bargauge.NewPanelBuilder(), p, graphHeight, now).
		Thresholds(thresholds(steps)).
		DisplayMode(common.BarGaugeDisplayModeBasic).
		Orientation(common.VizOrientationHorizontal).
		ReduceOptions(last()).
		Min(0)
}

// histogram shows a histogram over time, whichever kind of histogram was scraped.
func histogram(p panel, selector string) *heatmap.PanelBuilder {
	p.unit = units.Seconds
	p.queries = []query{
		{foldBy("le", "sum", rate(part(selector, "_bucket"))), "{{le}}"},
		{fold("sum", rate(selector)), "native"},
	}
	return build(heatmap.NewPanelBuilder(), p, graphHeight, cells).
		YAxis(heatmap.NewYAxisConfigBuilder().Unit(units.Seconds)).
		Color(heatmap.NewHeatmapColorOptionsBuilder().
			Mode(heatmap.HeatmapColorModeScheme).Scheme("Oranges").Fill("dark-orange").
			Scale(heatmap.HeatmapColorScaleExponential).Exponent(0.5).Steps(64)). // rare slow requests stay visible
		Tooltip(heatmap.NewHeatmapTooltipBuilder().Mode(common.TooltipDisplayModeSingle).YHistogram(true))
}

func last() *common.ReduceDataOptionsBuilder {
	return common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"})
}
