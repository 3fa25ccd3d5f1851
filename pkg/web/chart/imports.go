//go:build linux

package chart

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/human"
)

// Import is one import trial, in seconds of wall clock.
type Import struct {
	Time    time.Time
	Seconds float64
	Failed  bool
}

// Band is the range of a reference layout's import time in seconds.
type Band struct {
	Label     string
	Low, High float64
}

// MaxImports is the number of trials that a chart shows: the last ones.
const MaxImports = 24

// importSlots is the least number of slots, so that few bars do not become walls.
const importSlots = 12

// Imports draws the trials as bars, oldest first, in front of the bands of the reference layouts. A failed trial is a cross
// on the axis. Predicted is drawn as a line; 0 when there is no prediction.
func Imports(trials []Import, bands []Band, predicted float64) template.HTML {
	trials = trials[max(0, len(trials)-MaxImports):]
	var top float64
	if known(predicted) {
		top = predicted
	}
	bands = slices.DeleteFunc(slices.Clone(bands), func(b Band) bool { return !known(b.Low) || !known(b.High) })
	for _, b := range bands {
		top = math.Max(top, b.High)
	}
	for _, t := range trials {
		if !t.Failed && known(t.Seconds) {
			top = math.Max(top, t.Seconds)
		}
	}
	f := frame{width: 360, height: 208, top: 10, right: 146, bottom: 22, left: 26}
	return render(f, linear(float64(max(importSlots, len(trials)))), linear(math.Max(1, top*1.06)),
		importsTitle(trials, bands, predicted),
		func(p pen) { importBands(p, bands, predicted) },
		func(p pen) { importBars(p, trials) },
		importAxis(trials),
		func(p pen) { importPrediction(p, predicted) },
	)
}

// importBands draws each band, and its label unless it would touch another one.
func importBands(p pen, bands []Band, predicted float64) {
	labels := labels{}
	if known(predicted) {
		labels.take(p.y(predicted))
	}
	for _, b := range bands {
		p.rect("range", point{p.box.Left, p.y(b.High)}, point{p.box.Right, p.y(b.Low)})
		middle := (p.y(b.High) + p.y(b.Low)) / 2
		if y, ok := labels.place(middle); ok {
			p.text("note s", point{p.box.Right, y}.moved(5, 3.5), b.Label)
		}
	}
}

func importBars(p pen, trials []Import) {
	for i, t := range trials {
		x := float64(i)
		if t.Failed || !known(t.Seconds) {
			at := p.at(x+0.5, 0).moved(0, -6)
			p.line("fail", at.moved(-3.5, -3.5), at.moved(3.5, 3.5))
			p.line("fail", at.moved(3.5, -3.5), at.moved(-3.5, 3.5))
			continue
		}
		p.rect("bar", p.at(x+0.18, t.Seconds), p.at(x+0.82, 0))
	}
}

func importAxis(trials []Import) layer {
	return func(p pen) {
		base := point{p.box.Left, p.box.Bottom}
		p.line("axis", base, point{p.box.Right, p.box.Bottom})
		for _, tick := range ticks(p.ys.GetMax()) {
			at := point{p.box.Left, p.y(tick)}
			p.text("tick e", at.moved(-4, 3.5), human.Number(tick))
		}
		p.text("tick s", point{p.box.Left, p.box.Top}.moved(-24, -1), "s")
		if len(trials) == 0 {
			p.text("tick s", base.moved(0, 14), "no trial yet")
			return
		}
		p.text("tick s", base.moved(0, 14), trials[0].Time.Format("2 Jan 15:04"))
		if last := len(trials) - 1; last > 5 {
			p.text("tick e", p.at(float64(last)+0.82, 0).moved(0, 14), trials[last].Time.Format("2 Jan 15:04"))
		}
	}
}

func importPrediction(p pen, predicted float64) {
	if !known(predicted) {
		return
	}
	at := point{p.box.Right, p.y(predicted)}
	p.line("guide", point{p.box.Left, at.y}, at.moved(4, 0))
	p.text("value s", at.moved(5, 3.5), "predicted "+human.Seconds(predicted))
}

// ticks returns a few round values from 0 to high.
func ticks(high float64) []float64 {
	step := math.Pow(10, math.Floor(math.Log10(high)))
	for _, finer := range []float64{5, 2, 1} {
		if high/(step/finer) <= 6 {
			step /= finer
			break
		}
	}
	var out []float64
	for v := 0.0; v <= high; v += step {
		out = append(out, v)
	}
	return out
}

func importsTitle(trials []Import, bands []Band, predicted float64) string {
	parts := []string{lastImport(trials)}
	if known(predicted) {
		parts = append(parts, "predicted "+human.Seconds(predicted))
	}
	for _, b := range bands {
		parts = append(parts, fmt.Sprintf("%s %s to %s", b.Label, human.Number(b.Low), human.Seconds(b.High)))
	}
	return strings.Join(parts, "; ")
}

func lastImport(trials []Import) string {
	if len(trials) == 0 {
		return "Import trials: none yet"
	}
	last := trials[len(trials)-1]
	outcome := human.Seconds(last.Seconds)
	if last.Failed {
		outcome = "failed"
	}
	return fmt.Sprintf("Import time of the last %d trials, the last one %s", len(trials), outcome)
}
