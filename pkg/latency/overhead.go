//go:build linux

package latency

import (
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Overhead returns the median cost of timing a call that does nothing, over n calls on a locked thread: two looks at
// the clock, the way of the runtime into the kernel and back. Every latency contains it. It is 0 for n below 1.
func Overhead(n int) time.Duration {
	if n < 1 {
		return 0
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c := newClock()
	costs := make([]time.Duration, n)
	for i := range costs {
		start := c.since()
		// The kernel refuses the descriptor before it looks at anything else.
		_, _ = unix.Pread(-1, nil, 0)
		costs[i] = c.since() - start
	}
	slices.Sort(costs)
	return costs[n/2]
}
