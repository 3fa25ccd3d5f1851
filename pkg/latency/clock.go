//go:build linux

package latency

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// slice bounds a sleep, so that a cancelled run ends soon: a thread in clock_nanosleep does not see its context.
const slice = 200 * time.Millisecond

// Now returns the time on CLOCK_MONOTONIC.
func Now() Instant {
	var ts unix.Timespec
	// The clock exists on every Linux, so the call cannot go wrong.
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return Instant(ts.Nano())
}

// doze waits until the request that is due is at most a slice away, and reports false as soon as ctx is done. The rest
// of the time is slept out together with the request.
//
// It sleeps in this very thread: a timer of the runtime would wake another one, which hands over to this one and then
// spins beside the request.
func doze(ctx context.Context, due Instant) bool {
	for ctx.Err() == nil {
		left := time.Duration(due - Now())
		if left <= slice {
			return true
		}
		// Slices of one length: a last one that is very short would find the processor still awake.
		slices := int64((left + slice - 1) / slice)
		ts := unix.NsecToTimespec(int64(due) - int64(left)/slices*(slices-1))
		// An interrupted sleep is gone on with by the loop.
		_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil)
	}
	return false
}
