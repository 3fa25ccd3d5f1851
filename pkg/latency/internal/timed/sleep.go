//go:build linux && (amd64 || arm64)

package timed

import (
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// slice bounds how long a cancelled sleep goes on.
const slice = int64(500 * time.Millisecond)

// Cancel ends the sleeps of the requests that have it. The zero value is ready.
type Cancel struct{ done uint32 }

// Cancel ends the sleeps within half a second, for ever.
func (c *Cancel) Cancel() { atomic.StoreUint32(&c.done, 1) }

// sleep waits until the time due, and reports false when it was cancelled before. It looks at the flag without the
// means of package sync/atomic, which the race detector would follow to where the runtime is not; that there is a
// system call between two looks is enough.
//
//go:nosplit
//go:norace
func sleep(due int64, cancel *Cancel) bool {
	for cancel.done == 0 {
		left := due - now()
		if left <= 0 {
			return true
		}
		// Slices of one length: after a last one that is very short the processor would still be awake.
		slices := (left + slice - 1) / slice
		wake := due - left/slices*(slices-1)
		ts := unix.Timespec{Sec: wake / int64(time.Second), Nsec: wake % int64(time.Second)}
		_, _, errno := unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
		if errno == 0 && wake == due {
			return true
		}
	}
	return false
}

//go:nosplit
//go:norace
func now() int64 {
	var ts unix.Timespec
	// The clock exists on every Linux, so the call cannot go wrong.
	_, _, _ = unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&ts)), 0)
	return ts.Sec*int64(time.Second) + ts.Nsec
}
