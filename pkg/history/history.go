//go:build linux

// Package history keeps what the status page draws: means over the last day and the latest samples, in bounded memory.
package history

import (
	"time"
)

const (
	// step is the width of one point of a Day.
	step = 5 * time.Minute
	// points is how many of them make 24 h.
	points = int(24 * time.Hour / step)
)

// Point is the mean of the values that fell into one step of time.
type Point struct {
	// Time is the start of the step.
	Time time.Time
	Mean float64
}

// Day is a ring of means over the last 24 h, in steps of 5 minutes. The zero value is empty and usable. It is not safe for
// concurrent use.
type Day struct {
	ring [points]cell
}

type cell struct {
	start int64 // Unix seconds; 0 means empty
	sum   float64
	count float64
}

// Add records n values whose mean is mean, at that time.
func (d *Day) Add(at time.Time, mean float64, n int) {
	start := at.Truncate(step).Unix()
	c := &d.ring[index(start)]
	if c.start != start {
		*c = cell{start: start}
	}
	c.sum += mean * float64(n)
	c.count += float64(n)
}

// Points returns the means of the 24 h before now, oldest first; steps without values are left out.
func (d *Day) Points(now time.Time) []Point {
	newest := now.Truncate(step).Unix()
	oldest := newest - int64((points-1)*int(step/time.Second))
	var out []Point
	for start := oldest; start <= newest; start += int64(step / time.Second) {
		if c := d.ring[index(start)]; c.start == start && c.count > 0 {
			out = append(out, Point{Time: time.Unix(start, 0).UTC(), Mean: c.sum / c.count})
		}
	}
	return out
}

func index(start int64) int { return int(start / int64(step/time.Second) % int64(points)) }

// Recent is a ring of the latest values. The zero value keeps none; make one with NewRecent. It is not safe for concurrent use.
type Recent struct {
	values []float32
	next   int
}

// NewRecent returns a ring of the latest n values.
func NewRecent(n int) Recent { return Recent{values: make([]float32, 0, n)} }

// Add records a value, in place of the oldest when the ring is full. It does not allocate.
func (r *Recent) Add(v float64) {
	if len(r.values) < cap(r.values) {
		r.values = append(r.values, float32(v))
		return
	}
	if len(r.values) == 0 {
		return
	}
	r.values[r.next] = float32(v)
	r.next = (r.next + 1) % len(r.values)
}

// Values returns a copy of the values, in no order.
func (r *Recent) Values() []float64 {
	out := make([]float64, len(r.values))
	for i, v := range r.values {
		out[i] = float64(v)
	}
	return out
}
