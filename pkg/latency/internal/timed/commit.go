//go:build linux && (amd64 || arm64)

package timed

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Step is a part of a commit.
type Step int

// The steps in their order.
const (
	Create Step = iota
	Write
	Fsync
	Rename
	Done
)

// String returns the name of the step.
func (s Step) String() string { return [...]string{"create", "write", "fsync", "rename", "done"}[s] }

// Commit makes a small file durable under its final name: create, write, fsync and rename.
type Commit struct {
	// Due is when to begin, in nanoseconds of CLOCK_MONOTONIC; what has passed is at once.
	Due int64
	// Dir is the descriptor of the directory. In it the file is created as Temporary, which must not exist, and renamed
	// to Final. The names must end with a zero byte.
	Dir              int
	Temporary, Final []byte
	// Mode is the mode of the file, less the umask.
	Mode uint32
	Data []byte

	// Begin and End are the clock before the first and after the last call, in nanoseconds of CLOCK_MONOTONIC.
	Begin, End int64
	// FD is the descriptor of the file, which stays open, or -1 where there is none.
	FD int
	// Step is the one that did not succeed for Errno, else Done.
	Step  Step
	Errno unix.Errno
}

// Do does the commit. It does not allocate.
func (c *Commit) Do() {
	a := arguments{
		due:       unix.NsecToTimespec(c.Due),
		dir:       uintptr(c.Dir),
		temporary: unsafe.SliceData(c.Temporary),
		final:     unsafe.SliceData(c.Final),
		mode:      uintptr(c.Mode),
		data:      unsafe.SliceData(c.Data),
		size:      uintptr(len(c.Data)),
	}
	c.FD, c.Step, c.Errno = a.commit()
	c.Begin, c.End = a.begin.Nano(), a.end.Nano()
}

// arguments are those of a commit in the form that the kernel takes.
type arguments struct {
	due, begin, end  unix.Timespec
	dir              uintptr
	temporary, final *byte
	mode             uintptr
	data             *byte
	size             uintptr
}

//go:nosplit
//go:norace
func (a *arguments) commit() (fd int, step Step, errno unix.Errno) {
	entersyscall()
	sleep(&a.due)
	look(&a.begin)
	fd, step, errno = a.steps()
	look(&a.end)
	exitsyscall()
	return fd, step, errno
}

//go:nosplit
//go:norace
func (a *arguments) steps() (int, Step, unix.Errno) {
	fd, errno := a.create()
	if errno != 0 {
		return -1, Create, errno
	}
	if errno := a.write(fd); errno != 0 {
		return int(fd), Write, errno
	}
	for {
		_, _, errno := unix.RawSyscall(unix.SYS_FSYNC, fd, 0, 0)
		if errno == 0 {
			break
		}
		if errno != unix.EINTR {
			return int(fd), Fsync, errno
		}
	}
	for {
		_, _, errno := unix.RawSyscall6(unix.SYS_RENAMEAT2, a.dir, uintptr(unsafe.Pointer(a.temporary)), a.dir, uintptr(unsafe.Pointer(a.final)), 0, 0)
		if errno == 0 {
			return int(fd), Done, 0
		}
		if errno != unix.EINTR {
			return int(fd), Rename, errno
		}
	}
}

//go:nosplit
//go:norace
func (a *arguments) create() (uintptr, unix.Errno) {
	flags := uintptr(unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC)
	for {
		fd, _, errno := unix.RawSyscall6(unix.SYS_OPENAT, a.dir, uintptr(unsafe.Pointer(a.temporary)), flags, a.mode, 0, 0)
		if errno != unix.EINTR {
			return fd, errno
		}
		// The interrupted call may have made the file; nobody else makes this name.
		flags &^= unix.O_EXCL
	}
}

//go:nosplit
//go:norace
func (a *arguments) write(fd uintptr) unix.Errno {
	for done := uintptr(0); done < a.size; {
		n, _, errno := unix.RawSyscall6(unix.SYS_PWRITE64, fd, uintptr(unsafe.Pointer(a.data))+done, a.size-done, done, 0, 0)
		switch {
		case errno == unix.EINTR:
		case errno != 0:
			return errno
		case n == 0:
			return unix.EIO // never seen, but it must not go on for ever
		default:
			done += n
		}
	}
	return 0
}
