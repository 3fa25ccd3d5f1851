//go:build linux

package chart

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/columnstore/columnstore_exporter/pkg/human"
)

// Lane marks a reference layout above a distribution: its name, and the lowest and highest latency in seconds that it
// showed.
type Lane struct {
	Label     string
	Low, High float64
}

// binsPerDecade is the resolution of a distribution: steps of 26 %.
const binsPerDecade = 10

// Heights of the parts of a distribution in design pixels.
const (
	guideHeight = 16
	laneHeight  = 14
	plotHeight  = 62
	ticksHeight = 18
)

// Distribution draws the latencies of the last runs on a logarithmic axis, with the guideline through it and a lane for each
// reference layout above it.
func Distribution(samples []float64, scale Scale, guideline float64, lanes []Lane) template.HTML {
	lanes = slices.DeleteFunc(slices.Clone(lanes), func(l Lane) bool { return !known(l.Low) || !known(l.High) })
	edges, counts := scale.bins(samples, binsPerDecade)
	top := guideHeight + laneHeight*len(lanes)
	f := frame{width: 280, height: top + plotHeight + ticksHeight, top: top, right: 10, bottom: ticksHeight, left: 10}
	return render(f, logarithmic(scale.Low, scale.High), linear(float64(max(1, slices.Max(counts)))),
		distributionTitle(samples, guideline, lanes),
		func(p pen) { distributionAxis(p, scale) },
		func(p pen) { histogram(p, edges, counts, guideline) },
		func(p pen) { distributionGuide(p, guideline) },
		func(p pen) { references(p, lanes) },
	)
}

func distributionAxis(p pen, scale Scale) {
	p.line("axis", point{p.box.Left, p.box.Bottom}, point{p.box.Right, p.box.Bottom})
	ticks := scale.decades()
	for i, tick := range ticks {
		at := point{p.x(tick), p.box.Bottom}
		p.line("axis", at, at.moved(0, 3))
		anchor := "tick m"
		if i == 0 {
			anchor, at = "tick s", at.moved(-8, 0)
		} else if i == len(ticks)-1 {
			anchor, at = "tick e", at.moved(8, 0)
		}
		p.text(anchor, at.moved(0, 14), human.Seconds(tick))
	}
}

// histogram draws a bar for each step; those above the guideline have a class of their own.
func histogram(p pen, edges []float64, counts []int, guideline float64) {
	for i, count := range counts {
		if count == 0 {
			continue
		}
		class := "bar"
		if edges[i] >= guideline {
			class = "bar over"
		}
		p.rect(class, p.at(edges[i], float64(count)).moved(0.4, 0), p.at(edges[i+1], 0).moved(-0.4, 0))
	}
}

// references draws one lane for each layout: its range, and its name on the side where there is room.
func references(p pen, lanes []Lane) {
	for i, lane := range lanes {
		y := (guideHeight + laneHeight/2 + i*laneHeight) * unit
		left, right := point{p.x(lane.Low), y}.moved(-1.5, 0), point{p.x(lane.High), y}.moved(1.5, 0)
		p.rect("lane", left.moved(0, -2), right.moved(0, 2))
		p.line("drop", point{(left.x + right.x) / 2, y + 2*unit}, point{(left.x + right.x) / 2, p.box.Bottom})
		if p.rightHalf(right) {
			p.clear(left.moved(-4-width(lane.Label), -5.5), left.moved(-3, 5.5))
			p.text("note e", left.moved(-4, 3.5), lane.Label)
		} else {
			p.clear(right.moved(3, -5.5), right.moved(4+width(lane.Label), 5.5))
			p.text("note s", right.moved(4, 3.5), lane.Label)
		}
	}
}

func distributionGuide(p pen, guideline float64) {
	if !known(guideline) {
		return
	}
	at := point{p.x(guideline), p.box.Bottom}
	top := point{at.x, 2 * unit}
	p.line("guide", top, at)
	if p.rightHalf(at) {
		p.text("tick e", top.moved(-4, 8), "guideline "+human.Seconds(guideline))
	} else {
		p.text("tick s", top.moved(4, 8), "guideline "+human.Seconds(guideline))
	}
}

func distributionTitle(samples []float64, guideline float64, lanes []Lane) string {
	over := 0
	for _, s := range samples {
		if s > guideline {
			over++
		}
	}
	parts := []string{fmt.Sprintf("Distribution of the last %d reads: %d above the guideline of %s", len(samples), over, human.Seconds(guideline))}
	for _, lane := range lanes {
		parts = append(parts, fmt.Sprintf("%s %s to %s", lane.Label, human.Seconds(lane.Low), human.Seconds(lane.High)))
	}
	return strings.Join(parts, "; ")
}
