//go:build linux

package chart

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/human"
)

// Point is one value at one time.
type Point struct {
	Time  time.Time
	Value float64
}

// Spark draws the means of the runs up to now, oldest first, on a logarithmic axis that always holds the guideline: a line,
// and behind it the range of the means where several share a step. It breaks where there was no run for longer than gap.
func Spark(points []Point, now time.Time, gap time.Duration, guideline float64) template.HTML {
	shown := chooseSpan(points, now)
	steps := condense(points, now, shown.length)
	low, high := bounds(steps, guideline)
	step := shown.length / sparkBins
	segments := split(steps, int(math.Ceil(float64(max(gap, step))/float64(step))))
	f := frame{width: 280, height: 92, top: 8, right: 54, bottom: 18, left: 2}
	return render(f, linear(sparkBins), logarithmic(low/1.3, high*1.3), sparkTitle(steps, shown, guideline),
		func(p pen) { sparkAxis(p, shown) },
		func(p pen) { sparkLines(p, segments) },
		func(p pen) { sparkLabels(p, steps, guideline) },
	)
}

func sparkAxis(p pen, shown span) {
	base := point{p.box.Left, p.box.Bottom}
	p.line("axis", base, point{p.box.Right, p.box.Bottom})
	p.text("tick s", base.moved(0, 13), shown.start)
	p.text("tick m", point{(p.box.Left + p.box.Right) / 2, p.box.Bottom}.moved(0, 13), shown.middle)
	p.text("tick e", point{p.box.Right, p.box.Bottom}.moved(0, 13), "now")
}

func sparkLines(p pen, segments [][]bin) {
	for _, segment := range segments {
		var upper, lower, middle []point
		for _, b := range segment {
			x := float64(b.index) + 0.5
			upper = append(upper, p.at(x, b.high))
			lower = append(lower, p.at(x, b.low))
			middle = append(middle, p.at(x, b.mean()))
		}
		slices.Reverse(lower)
		p.area("band", append(upper, lower...)...)
		// A step on its own is a line to itself, which the stylesheet's round caps make a dot.
		p.line("mean", append(middle, middle[len(middle)-1])...)
	}
}

// sparkLabels marks the guideline and the last value; where their labels would touch, the value keeps its own.
func sparkLabels(p pen, steps []bin, guideline float64) {
	var taken labels
	if len(steps) > 0 {
		last := steps[len(steps)-1]
		at := p.at(float64(last.index)+0.5, last.last)
		p.dot("dot", at, 2.2)
		p.text("value s", point{p.box.Right, at.y}.moved(5, 3.5), human.Seconds(last.last))
		taken.take(at.y)
	}
	if !known(guideline) {
		return
	}
	at := point{p.box.Right, p.y(guideline)}
	p.line("guide", point{p.box.Left, at.y}, at)
	if taken.free(at.y) {
		p.text("tick s", at.moved(5, 3.5), human.Seconds(guideline))
	}
}

func sparkTitle(steps []bin, shown span, guideline float64) string {
	if len(steps) == 0 {
		return "Mean latency from " + shown.start + " until now: no run yet"
	}
	low, high := bounds(steps, steps[0].low)
	return fmt.Sprintf("Mean latency from %s until now: between %s and %s, last %s; guideline %s", shown.start,
		human.Seconds(low), human.Seconds(high), human.Seconds(steps[len(steps)-1].last), human.Seconds(guideline))
}
