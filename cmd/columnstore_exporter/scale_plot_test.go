package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/go-analyze/charts/chartdraw"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/figures"
)

// scalePlot is the name of the picture beside the document.
const scalePlot = "scale.svg"

// plot draws what a directory costs against the number of directories, where there is a document for the picture.
func plot(b *testing.B, columns []scale) string {
	b.Helper()
	document := os.Getenv(figures.Document)
	if document == "" {
		return scalePlot
	}
	core := chartdraw.ContinuousSeries{Name: "processor time, 0.001 % of a core", Style: line(0)}
	memory := chartdraw.ContinuousSeries{Name: "memory, 0.1 MiB", Style: line(1)}
	var ticks []chartdraw.Tick
	highest := 0.0
	for _, c := range columns {
		x, n := math.Log10(float64(c.directories)), float64(c.directories)
		core.XValues, core.YValues = append(core.XValues, x), append(core.YValues, 1e5*c.core/n)
		memory.XValues, memory.YValues = append(memory.XValues, x), append(memory.YValues, 10*c.memory/n)
		ticks = append(ticks, chartdraw.Tick{Value: x, Label: strconv.Itoa(c.directories)})
		highest = max(highest, 1e5*c.core/n, 10*c.memory/n)
	}
	chart := chartdraw.Chart{
		Width: 720, Height: 360, Title: "What a directory costs",
		Background: chartdraw.Style{Padding: chartdraw.Box{Top: 40, Left: 20, Right: 20, Bottom: 10, IsSet: true}},
		XAxis:      chartdraw.XAxis{Name: "directories", Ticks: ticks},
		YAxis:      chartdraw.YAxis{Range: &chartdraw.ContinuousRange{Max: 1.1 * highest}},
		Series:     []chartdraw.Series{core, memory},
	}
	chart.Elements = []chartdraw.Renderable{chartdraw.Legend(&chart)}
	var svg bytes.Buffer
	if err := chart.Render(chartdraw.SVG, &svg); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(document), scalePlot), svg.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	return scalePlot
}

func line(number int) chartdraw.Style {
	color := chartdraw.GetDefaultColor(number)
	return chartdraw.Style{StrokeColor: color, StrokeWidth: 2, DotColor: color, DotWidth: 4}
}
