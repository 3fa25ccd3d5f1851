//go:build linux

// Package chart draws the status page's charts as SVG that a strict Content-Security-Policy lets through: no style
// attribute, no script, no outside reference. Every mark carries a class, and the page's stylesheet gives the classes their
// colours, so that one drawing serves light and dark.
//
// The scales, the canvas and the SVG come from go-analyze/charts. Of the kept chart libraries it is the one whose marks
// can carry classes: gonum/plot writes colours into style attributes, and brings three times the binary and the fonts of a
// printer into every worker process; go-echarts draws in the browser. Its axes measure text with a font of their own, so
// the few ticks here are drawn as marks too, anchored by the stylesheet and set in the reader's font.
package chart

import (
	"bytes"
	"html"
	"html/template"
	"math"
	"strings"

	"github.com/go-analyze/charts/chartdraw"
)

// unit is the number of drawing units in a CSS pixel of the design width. The library's coordinates are integers; tenths
// of a pixel keep lines smooth.
const unit = 10

// frame is the area of a chart in design pixels: the whole, and the margins round the plot.
type frame struct {
	width, height            int
	top, right, bottom, left int
}

// layer draws one part of a chart. It is the library's Series.
type layer func(p pen)

func (layer) GetName() string               { return "" }
func (layer) GetYAxis() chartdraw.YAxisType { return chartdraw.YAxisPrimary }
func (layer) GetStyle() chartdraw.Style     { return chartdraw.Style{} }
func (layer) Validate() error               { return nil }

// Render draws the layer on the library's canvas.
func (l layer) Render(r chartdraw.Renderer, box chartdraw.Box, x, y chartdraw.Range, _ chartdraw.Style) {
	l(pen{renderer: r, box: box, xs: x, ys: y})
}

// render draws the layers in order. Title is what the chart shows, in words, for those who cannot see it.
func render(f frame, xs, ys chartdraw.Range, title string, layers ...layer) template.HTML {
	series := make([]chartdraw.Series, len(layers))
	for i, l := range layers {
		series[i] = l
	}
	hidden := chartdraw.Style{Hidden: true}
	c := chartdraw.Chart{
		Width: f.width * unit, Height: f.height * unit,
		Background: chartdraw.Style{ClassName: "none", Padding: chartdraw.Box{
			Top: f.top * unit, Right: f.right * unit, Bottom: f.bottom * unit, Left: f.left * unit, IsSet: true,
		}},
		Canvas: chartdraw.Style{ClassName: "none"},
		XAxis:  chartdraw.XAxis{Style: hidden, Range: xs},
		YAxis:  chartdraw.YAxis{Style: hidden, Range: ys},
		Series: series,
	}
	c.YAxisSecondary.Style = hidden
	var svg bytes.Buffer
	if err := c.Render(chartdraw.SVG, &svg); err != nil {
		return template.HTML(html.EscapeString("no chart: " + err.Error())) //nolint:gosec // escaped
	}
	return label(svg.String(), title)
}

// label gives the drawing its role and its text alternative, which the library knows nothing of.
func label(svg, title string) template.HTML {
	title = html.EscapeString(title)
	svg = strings.Replace(svg, "<svg ", `<svg role="img" aria-label="`+title+`" `, 1)
	svg = strings.Replace(svg, ">", "><title>"+title+"</title>", 1)
	return template.HTML(svg) //nolint:gosec // the library escapes texts and attributes, and title is escaped
}

// linear is a linear scale from 0; logarithmic is for values above 0.
func linear(high float64) chartdraw.Range {
	return &chartdraw.ContinuousRange{Max: high}
}

func logarithmic(low, high float64) chartdraw.Range {
	return &logRange{chartdraw.ContinuousRange{Min: math.Log10(low), Max: math.Log10(high)}}
}

// logRange is the library's linear range over logarithms. (Its own logarithmic range is for values above 1.)
type logRange struct {
	chartdraw.ContinuousRange
}

// Translate maps a value to drawing units.
func (r *logRange) Translate(value float64) int {
	return r.ContinuousRange.Translate(math.Log10(value))
}
