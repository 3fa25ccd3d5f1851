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
	Due    int64
	Cancel *Cancel
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

// Do does the commit, and reports false when it was cancelled before it began. It does not allocate.
func (c *Commit) Do() bool {
	c.FD = -1
	return c.do(unsafe.SliceData(c.Temporary), unsafe.SliceData(c.Final), unsafe.SliceData(c.Data), uintptr(len(c.Data)))
}

//go:nosplit
//go:norace
func (c *Commit) do(temporary, final, data *byte, size uintptr) bool {
	entersyscallblock()
	awake := sleep(c.Due, c.Cancel)
	if awake {
		c.Begin = now()
		c.steps(temporary, final, data, size)
		c.End = now()
	}
	exitsyscall()
	return awake
}

//go:nosplit
//go:norace
func (c *Commit) steps(temporary, final, data *byte, size uintptr) {
	if c.Step = Create; c.create(temporary) != 0 {
		return
	}
	if c.Step = Write; c.write(data, size) != 0 {
		return
	}
	if c.Step = Fsync; c.fsync() != 0 {
		return
	}
	if c.Step = Rename; c.rename(temporary, final) != 0 {
		return
	}
	c.Step = Done
}

//go:nosplit
//go:norace
func (c *Commit) create(name *byte) unix.Errno {
	flags := uintptr(unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC)
	for {
		fd, _, errno := unix.RawSyscall6(unix.SYS_OPENAT, uintptr(c.Dir), uintptr(unsafe.Pointer(name)), flags, uintptr(c.Mode), 0, 0)
		if c.Errno = errno; errno == 0 {
			c.FD = int(fd)
		}
		if errno != unix.EINTR {
			return errno
		}
		// The interrupted call may have made the file; nobody else makes this name.
		flags &^= unix.O_EXCL
	}
}

//go:nosplit
//go:norace
func (c *Commit) write(data *byte, size uintptr) unix.Errno {
	for done := uintptr(0); done < size; {
		n, _, errno := unix.RawSyscall6(unix.SYS_PWRITE64, uintptr(c.FD), uintptr(unsafe.Pointer(data))+done, size-done, done, 0, 0)
		switch {
		case errno == unix.EINTR:
			continue
		case errno == 0 && n == 0:
			errno = unix.EIO // never seen, but it must not go on for ever
		}
		if c.Errno = errno; errno != 0 {
			return errno
		}
		done += n
	}
	return 0
}

//go:nosplit
//go:norace
func (c *Commit) fsync() unix.Errno {
	for {
		_, _, c.Errno = unix.RawSyscall(unix.SYS_FSYNC, uintptr(c.FD), 0, 0)
		if c.Errno != unix.EINTR {
			return c.Errno
		}
	}
}

//go:nosplit
//go:norace
func (c *Commit) rename(from, to *byte) unix.Errno {
	dir := uintptr(c.Dir)
	for {
		_, _, c.Errno = unix.RawSyscall6(unix.SYS_RENAMEAT2, dir, uintptr(unsafe.Pointer(from)), dir, uintptr(unsafe.Pointer(to)), 0, 0)
		if c.Errno != unix.EINTR {
			return c.Errno
		}
	}
}
