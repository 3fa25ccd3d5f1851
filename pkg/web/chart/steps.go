//go:build linux

package chart

import (
	"math"
	"time"
)

// sparkBins is the number of steps that a sparkline resolves: one for two design pixels.
const sparkBins = 116

// span is a length of time that a sparkline can show, and the names of its start and its middle.
type span struct {
	length        time.Duration
	start, middle string
}

// spans returns the lengths, shortest first. A daemon that has just started shows its first hour in full width.
func spans() []span {
	return []span{
		{time.Hour, "1 h ago", "30 min"},
		{6 * time.Hour, "6 h ago", "3 h"},
		{24 * time.Hour, "24 h ago", "12 h"},
	}
}

func chooseSpan(points []Point, now time.Time) span {
	all := spans()
	for _, s := range all {
		if len(points) == 0 || now.Sub(points[0].Time) <= s.length {
			return s
		}
	}
	return all[len(all)-1]
}

// bin is what the runs of one step have in common: its index, and the sum, range and last of their means.
type bin struct {
	index                int
	sum, low, high, last float64
	count                int
}

func (b bin) mean() float64 { return b.sum / float64(b.count) }

func condense(points []Point, now time.Time, length time.Duration) []bin {
	var bins []bin
	start := now.Add(-length)
	for _, p := range points {
		if !known(p.Value) || p.Time.Before(start) || p.Time.After(now) {
			continue
		}
		index := min(int(float64(p.Time.Sub(start))/float64(length)*sparkBins), sparkBins-1)
		if len(bins) == 0 || bins[len(bins)-1].index != index {
			bins = append(bins, bin{index: index, low: p.Value, high: p.Value})
		}
		last := &bins[len(bins)-1]
		last.sum, last.last = last.sum+p.Value, p.Value
		last.count++
		last.low, last.high = math.Min(last.low, p.Value), math.Max(last.high, p.Value)
	}
	return bins
}

// split breaks the line where more than gap steps are missing.
func split(bins []bin, gap int) [][]bin {
	var segments [][]bin
	for i, b := range bins {
		if i == 0 || b.index-bins[i-1].index > gap+1 {
			segments = append(segments, nil)
		}
		segments[len(segments)-1] = append(segments[len(segments)-1], b)
	}
	return segments
}

// bounds holds every step and the guideline.
func bounds(steps []bin, guideline float64) (low, high float64) {
	low, high = math.Inf(1), 0
	if known(guideline) {
		low, high = guideline, guideline
	}
	for _, s := range steps {
		low, high = math.Min(low, s.low), math.Max(high, s.high)
	}
	if high == 0 {
		return 100e-6, 10e-3
	}
	return low, high
}
