//go:build linux && (amd64 || arm64)

package timed

import (
	"math"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The operations of futex(2), as in linux/futex.h.
const (
	futexPrivate    = 128
	futexWake       = 1 | futexPrivate
	futexWaitBitset = 9 | futexPrivate // until a time of CLOCK_MONOTONIC
	anyBit          = math.MaxUint32
)

// Cancel ends the sleeps of the requests that have it. The zero value is ready.
type Cancel struct{ done uint32 }

// Cancel ends the sleeps, for ever.
func (c *Cancel) Cancel() {
	atomic.StoreUint32(&c.done, 1)
	// Nobody may be asleep; the call cannot go wrong otherwise.
	_, _, _ = unix.Syscall(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&c.done)), futexWake, math.MaxInt32)
}

// sleep waits until the time due, and reports false when it was cancelled before. It looks at the flag without the
// means of package sync/atomic, which the race detector would follow to where the runtime is not; that there is a
// system call between two looks is enough, and that the kernel does not go to sleep on a flag that is set.
//
//go:nosplit
//go:norace
func sleep(due int64, cancel *Cancel) bool {
	ts := unix.Timespec{Sec: due / int64(time.Second), Nsec: due % int64(time.Second)}
	for cancel.done == 0 {
		if now() >= due {
			return true
		}
		_, _, errno := unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&cancel.done)), futexWaitBitset, 0, uintptr(unsafe.Pointer(&ts)), 0, anyBit)
		if errno == unix.ETIMEDOUT {
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
