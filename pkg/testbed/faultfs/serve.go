//go:build linux

package faultfs

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// spin is the end of a delay that is waited out with a busy processor: a sleeping thread wakes up some time late.
const spin = 150 * time.Microsecond

// do serves one operation: call is what it does, unless a fault comes before.
func (f *FS) do(op Operation, call func() syscall.Errno) syscall.Errno {
	_, errno := f.doFault(op, call)
	return errno
}

func (f *FS) doFault(op Operation, call func() syscall.Errno) (Fault, syscall.Errno) {
	begin := time.Now()
	fault := f.arrive(op)
	errno := fault.Errno
	if errno == 0 {
		errno = call()
	}
	waitUntil(begin, fault.Delay)
	return fault, errno
}

// arrive counts the operation, holds it while it is to hang, and returns the fault that it is to suffer.
func (f *FS) arrive(op Operation) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[op]++
	for {
		s := f.faults[op]
		if s == nil {
			return Fault{}
		}
		if s.held == nil {
			return s.Fault
		}
		if !s.holding {
			s.holding = true
			close(s.held)
		}
		f.hanging++
		f.mu.Unlock()
		<-s.over
		f.mu.Lock()
		f.hanging--
	}
}

// waitUntil returns when delay has passed since begin. It sleeps in the serving thread: a timer of the runtime may be
// a millisecond late.
func waitUntil(begin time.Time, delay time.Duration) {
	for left := delay - time.Since(begin); left > spin; left = delay - time.Since(begin) {
		ts := unix.NsecToTimespec(int64(left - spin))
		// An interrupted sleep is gone on with by the loop.
		_ = unix.Nanosleep(&ts, nil)
	}
	for time.Since(begin) < delay {
		continue
	}
}
