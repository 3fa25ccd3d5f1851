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
	FD     int
	Buffer []byte
	Offset int64

	// Begin and End are the clock right before and after the read, in nanoseconds of CLOCK_MONOTONIC.
	Begin, End int64
	// N is the number of bytes read. It is not meaningful when Errno is set.
	N     int
	Errno unix.Errno
}

// Do does the read. It does not allocate.
func (r *Read) Do() {
	due := unix.NsecToTimespec(r.Due)
	var begin, end unix.Timespec
	r.N, r.Errno = read(&due, &begin, &end, r.FD, unsafe.SliceData(r.Buffer), len(r.Buffer), r.Offset)
	r.Begin, r.End = begin.Nano(), end.Nano()
}

//go:nosplit
//go:norace
func read(due, begin, end *unix.Timespec, fd int, buffer *byte, size int, offset int64) (int, unix.Errno) {
	entersyscall()
	sleep(due)
	look(begin)
	n, errno := uintptr(0), unix.EINTR
	for errno == unix.EINTR {
		n, _, errno = unix.RawSyscall6(unix.SYS_PREAD64, uintptr(fd), uintptr(unsafe.Pointer(buffer)), uintptr(size), uintptr(offset), 0, 0)
	}
	look(end)
	exitsyscall()
	return int(n), errno
}

//go:nosplit
//go:norace
func sleep(due *unix.Timespec) {
	for {
		_, _, errno := unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, uintptr(unsafe.Pointer(due)), 0, 0, 0)
		if errno != unix.EINTR {
			return
		}
	}
}

//go:nosplit
//go:norace
func look(clock *unix.Timespec) {
	// The clock exists on every Linux, so the call cannot go wrong.
	_, _, _ = unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(clock)), 0)
}
