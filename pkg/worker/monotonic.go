//go:build linux

package worker

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// monotonic reads CLOCK_MONOTONIC, which all processes of the machine share. Go reads the same clock, without a system
// call, but tells differences only: so one reading of each is kept to count from.
type monotonic struct {
	begun   time.Time
	reading int64 // nanoseconds
}

func newMonotonic() monotonic {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(fmt.Sprintf("read CLOCK_MONOTONIC: %v", err)) // it exists on every Linux
	}
	return monotonic{begun: time.Now(), reading: t.Nano()}
}

// now is the clock's time in nanoseconds.
func (m monotonic) now() int64 { return m.reading + int64(time.Since(m.begun)) }
