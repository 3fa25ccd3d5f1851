//go:build linux && (amd64 || arm64)

package timed

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Read is one read of a file. It may be done again and again.
type Read struct {
	// Due is when to begin, in nanoseconds of CLOCK_MONOTONIC; what has passed is at once.
	Due    int64
	Cancel *Cancel
	FD     int
	Buffer []byte
	Offset int64

	// Begin and End are the clock right before and after the read, in nanoseconds of CLOCK_MONOTONIC.
	Begin, End int64
	// N is the number of bytes read. It is not meaningful when Errno is set.
	N     int
	Errno unix.Errno
}

// Do does the read, and reports false when it was cancelled before it began. It does not allocate.
func (r *Read) Do() bool { return r.do(unsafe.SliceData(r.Buffer), uintptr(len(r.Buffer))) }

//go:nosplit
//go:norace
func (r *Read) do(buffer *byte, size uintptr) bool {
	entersyscallblock()
	awake := sleep(r.Due, r.Cancel)
	if awake {
		r.Begin = now()
		n, errno := uintptr(0), unix.EINTR
		for errno == unix.EINTR {
			n, _, errno = unix.RawSyscall6(unix.SYS_PREAD64, uintptr(r.FD), uintptr(unsafe.Pointer(buffer)), size, uintptr(r.Offset), 0, 0)
		}
		r.End = now()
		r.N, r.Errno = int(n), errno
	}
	exitsyscall()
	return awake
}
