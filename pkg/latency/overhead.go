//go:build linux

package latency

import (
	"runtime"
	"slices"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/latency/internal/timed"
)

// Overhead returns the median latency of a read that does nothing, over n of them on a locked thread: a look at the
// clock and a way into the kernel and back. Every latency contains it. It is 0 for n below 1.
func Overhead(n int) time.Duration {
	if n < 1 {
		return 0
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// The kernel refuses the descriptor before it looks at anything else.
	nothing := timed.Read{FD: -1, Cancel: new(timed.Cancel)}
	costs := make([]time.Duration, n)
	for i := range costs {
		nothing.Do()
		costs[i] = time.Duration(nothing.End - nothing.Begin)
	}
	slices.Sort(costs)
	return costs[n/2]
}
