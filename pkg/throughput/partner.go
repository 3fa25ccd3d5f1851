//go:build linux

package throughput

import (
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// check is the partner of a stream: it verifies blocks that were read, and seals those that are to be written.
func (s *stream) check() (done tally) {
	for b := range s.todo {
		if err := s.checkBlock(b, &done); err != nil {
			s.test.end("", fmt.Errorf("check %s at %d: %w", s.file.path(), b.offset(), err))
		}
		s.ready <- b
	}
	return done
}

// checkBlock keeps to one OS thread meanwhile, so that its processor time can be told; a goroutine that kept to one for
// ever would take two hand-overs to wake.
func (s *stream) checkBlock(b *block, done *tally) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := threadTime()
	defer func() { done.cpu += threadTime() - begin }()
	if s.test.crc && s.test.kind.reads() {
		if err := timed(&done.crc, func() error { return b.verify(s.file.id) }); err != nil {
			return err
		}
	}
	if !s.test.kind.writes() {
		return nil
	}
	b.stamp(s.file.id)
	b.sealed = true
	if !s.test.crc {
		return nil
	}
	return timed(&done.crc, func() error { b.seal(); return nil })
}

// timed adds the processor time of a call to a sum.
func timed(sum *time.Duration, call func() error) error {
	begin := threadTime()
	defer func() { *sum += threadTime() - begin }()
	return call()
}

// threadTime returns the processor time of the calling thread, finer than threadUsage and cheap.
func threadTime() time.Duration {
	var t unix.Timespec
	// CLOCK_THREAD_CPUTIME_ID exists on every Linux that Go runs on, so the call cannot go wrong.
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano())
}
