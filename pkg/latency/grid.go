//go:build linux

package latency

import "time"

// grid is the schedule of a run: request number k is due at start + k·interval, whatever the requests before it took.
type grid struct {
	start    Instant
	interval time.Duration
	next     int
}

// take returns the time of the next request, and false when none is left before the one with the number end. There
// is no catching up: of the times that passed during a stall all but the newest are dropped, and that one is to be
// started at once.
func (g *grid) take(now Instant, end int) (due Instant, ok bool) {
	passed := int(time.Duration(now-g.start) / g.interval)
	k := max(g.next, min(passed, end-1))
	if k >= end {
		return 0, false
	}
	g.next = k + 1
	return g.start + Instant(k)*Instant(g.interval), true
}
