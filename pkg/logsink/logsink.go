// Package logsink is a destination for log lines that never makes those wait who log: not even when what reads the log
// hangs, as journald does while the disk under it does.
package logsink

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Sink writes lines in their order on a goroutine of its own. Lines that come while its queue is full are lost and counted.
type Sink struct {
	lines chan []byte
	lost  atomic.Uint64
	close func()
	done  chan struct{}
}

// New returns a sink for w that keeps up to capacity lines in memory. Before the first line that is written after a loss
// stands the one that report makes of the number lost.
func New(w io.Writer, capacity int, report func(lost uint64) []byte) *Sink {
	s := &Sink{lines: make(chan []byte, capacity), done: make(chan struct{})}
	end := make(chan struct{})
	s.close = sync.OnceFunc(func() { close(end) })
	go s.run(w, end, report)
	return s
}

// Write takes one line, or loses it. It never blocks and returns no error.
func (s *Sink) Write(line []byte) (int, error) {
	select {
	case s.lines <- bytes.Clone(line):
	default:
		s.lost.Add(1)
	}
	return len(line), nil
}

// Close waits until what was taken is written, at most for the bound, and ends the sink. Its error says that the bound
// was not enough. Lines that come later are lost.
func (s *Sink) Close(bound time.Duration) error {
	s.close()
	timer := time.NewTimer(bound)
	defer timer.Stop()
	select {
	case <-s.done:
		return nil
	case <-timer.C:
		return fmt.Errorf("write the last %d log lines: not done after %s", len(s.lines), bound)
	}
}

func (s *Sink) run(w io.Writer, end <-chan struct{}, report func(lost uint64) []byte) {
	defer close(s.done)
	write := func(line []byte) {
		if lost := s.lost.Swap(0); lost > 0 {
			_, _ = w.Write(report(lost))
		}
		_, _ = w.Write(line) // there is nowhere to tell what goes wrong here
	}
	for {
		select {
		case line := <-s.lines:
			write(line)
		case <-end:
			s.drain(write)
			return
		}
	}
}

func (s *Sink) drain(write func([]byte)) {
	for {
		select {
		case line := <-s.lines:
			write(line)
		default:
			return
		}
	}
}
