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

// clock reads CLOCK_MONOTONIC without a system call. Go's own monotonic reading is that clock, through the vDSO, but it
// shows differences only; so the clock keeps one pair of readings that belong together.
type clock struct {
	base time.Time
	at   Instant
}

// newClock takes the pair that was read the fastest out of a few: a thread may lose its processor in between.
func newClock() clock {
	var best clock
	narrowest := time.Duration(-1)
	for range 5 {
		base := time.Now()
		at := Now()
		if width := time.Since(base); narrowest < 0 || width < narrowest {
			narrowest, best = width, clock{base: base, at: at - Instant(width/2)}
		}
	}
	return best
}

// since returns the time since the clock was made.
func (c clock) since() time.Duration { return time.Since(c.base) }

// instant is the absolute time of a reading of since.
func (c clock) instant(since time.Duration) Instant { return c.at + Instant(since) }

func (c clock) now() Instant { return c.instant(c.since()) }

// sleep waits in this very thread until the time comes, and reports false as soon as ctx is done.
//
// A timer of the runtime would wake another thread, which hands over to this one and then spins beside the request:
// reads take twice as long after that. Nothing may stand between the last return here and the request.
func (c clock) sleep(ctx context.Context, until Instant) bool {
	for ctx.Err() == nil {
		left := time.Duration(until - c.now())
		if left <= 0 {
			return true
		}
		// Slices of one length: a last one that is very short would find the processor still awake.
		slices := (left + slice - 1) / slice
		wake := until - Instant(left/slices*(slices-1))
		ts := unix.NsecToTimespec(int64(wake))
		err := unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil)
		if err == nil && wake == until {
			return true
		}
	}
	return false
}
