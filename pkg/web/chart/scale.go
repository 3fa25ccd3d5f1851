//go:build linux

package chart

import "math"

// known tells a time in seconds that can be drawn from one that is no time: 0, NaN, the infinite and the absurd.
func known(seconds float64) bool { return seconds >= 1e-9 && seconds <= 1e6 }

// Scale is a logarithmic axis of latencies in seconds that several charts share, so that they can be compared by eye.
type Scale struct {
	Low, High float64
}

// ScaleFor returns the axis that holds all the values in whole decades: at least 100 µs to 10 ms, at most 1 µs to 100 s.
// Values outside are drawn at its ends; those that are no latencies do not count.
func ScaleFor(values ...float64) Scale {
	low, high := 100e-6, 10e-3
	for _, v := range values {
		if known(v) {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	return Scale{
		Low:  math.Pow(10, math.Max(-6, math.Floor(math.Log10(low)+1e-9))),
		High: math.Pow(10, math.Min(2, math.Ceil(math.Log10(high)-1e-9))),
	}
}

// decades returns the powers of ten on the axis, ends included.
func (s Scale) decades() []float64 {
	var ticks []float64
	for exponent := math.Round(math.Log10(s.Low)); exponent <= math.Round(math.Log10(s.High)); exponent++ {
		ticks = append(ticks, math.Pow(10, exponent))
	}
	return ticks
}

// bins counts the samples in steps of equal ratio, so many to a decade. It returns the edges (one more than counts).
func (s Scale) bins(samples []float64, perDecade int) (edges []float64, counts []int) {
	low := math.Log10(s.Low)
	n := int(math.Round((math.Log10(s.High) - low) * float64(perDecade)))
	counts = make([]int, n)
	for i := range n + 1 {
		edges = append(edges, math.Pow(10, low+float64(i)/float64(perDecade)))
	}
	for _, v := range samples {
		if known(v) {
			i := int((math.Log10(v) - low) * float64(perDecade))
			counts[min(max(i, 0), n-1)]++
		}
	}
	return edges, counts
}
