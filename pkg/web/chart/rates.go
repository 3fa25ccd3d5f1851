//go:build linux

package chart

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/columnstore/columnstore_exporter/pkg/human"
)

// Rate is the throughput of one core in one test, in bytes per second.
type Rate struct {
	Label          string
	BytesPerSecond float64
}

// rateHeight is the height of a bar with its gap, in design pixels.
const rateHeight = 17

// shownRate bounds the axis: what is far above the marks is drawn as an open end, or the marks would shrink to nothing.
const shownRate = 120e6

// Rates draws the throughput per core as bars, with marks at the minimum and the recommended rate.
func Rates(rates []Rate, minimum, recommended float64) template.HTML {
	high := recommended * 1.5
	for _, r := range rates {
		if r.BytesPerSecond > high {
			high = math.Max(high, r.BytesPerSecond)
		}
	}
	high = math.Min(high, math.Max(shownRate, recommended*1.5))
	f := frame{width: 280, height: 20 + rateHeight*len(rates), top: 18, right: 76, bottom: 2, left: 76}
	return render(f, linear(high), linear(float64(max(1, len(rates)))), ratesTitle(rates),
		func(p pen) { rateMark(p, minimum, "tick m") },
		func(p pen) { rateMark(p, recommended, "tick m") },
		func(p pen) { rateBars(p, rates, high) },
	)
}

func rateBars(p pen, rates []Rate, high float64) {
	for i, r := range rates {
		y := p.box.Top + (i*rateHeight+rateHeight/2)*unit
		left := point{p.box.Left, y}
		p.text("note e", left.moved(-6, 3.5), r.Label)
		rate := math.Max(0, r.BytesPerSecond)
		if math.IsNaN(rate) {
			rate = 0
		}
		end := point{p.x(math.Min(rate, high)), y}
		p.rect("bar", left.moved(0, -4.5), end.moved(0, 4.5))
		if rate > high {
			p.area("bar", end.moved(2, -4.5), end.moved(6, 0), end.moved(2, 4.5))
			end = end.moved(6, 0)
		}
		value := human.BytesPerSecond(r.BytesPerSecond)
		p.clear(end.moved(3, -5.5), end.moved(5+width(value), 5.5))
		p.text("value s", end.moved(5, 3.5), value)
	}
}

func rateMark(p pen, rate float64, class string) {
	at := point{p.x(rate), p.box.Bottom}
	p.line("guide", point{at.x, p.box.Top - 4*unit}, at)
	p.text(class, point{at.x, p.box.Top}.moved(0, -7), human.Number(rate/1e6))
}

func ratesTitle(rates []Rate) string {
	parts := make([]string, len(rates))
	for i, r := range rates {
		parts[i] = fmt.Sprintf("%s %s", r.Label, human.BytesPerSecond(r.BytesPerSecond))
	}
	return "Throughput per core: " + strings.Join(parts, ", ") + "; minimum 20 MB/s, recommended 40 MB/s"
}
