//go:build linux

package throughput

import (
	"runtime"
	"time"
)

// stream is one thread's part of a test. A partner stamps and checks one block while the other block is moved, so that
// storage has one request of the stream at any time, and checksums cost processor time but no wait.
type stream struct {
	test *test
	file *file
	// ready are the blocks that the partner is done with, todo those that it is to see to.
	ready, todo chan *block
	// first is the place in the file's sequence of writes or reads where the test begins, given how many are given out.
	first, given int64
	// step is the distance from block to block.
	step  int64
	tally tally
}

// tally is what streams did.
type tally struct {
	reads, writes int64
	// cpu is the processor time of threads and partners, crc what of it went into checksums. wait is the time in calls on
	// storage less the processor time of the threads.
	cpu, crc, wait time.Duration
	// device is the bytes that the kernel counts as moved between storage and the threads, nil where it does not count.
	device *uint64
	// full says that a file has reached its limit.
	full bool
}

func newStream(t *test, f *file, blocks []*block) *stream {
	s := &stream{test: t, file: f, step: 1, ready: make(chan *block, len(blocks)), todo: make(chan *block, len(blocks))}
	switch {
	case t.kind.extends():
		s.first = f.blocks
	case t.kind.writes():
		s.first = f.writes
	case t.kind == SkipRead:
		s.step = stride(f.blocks)
	}
	for _, b := range blocks {
		b.sealed = false
		s.ready <- b
	}
	return s
}

// run moves blocks until the test ends, on an OS thread of its own, as the kernel keeps figures by thread.
func (s *stream) run() tally {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	partner := make(chan tally)
	go func() { partner <- s.check() }()
	before, busy := threadUsage(), s.file.flight.spent()
	s.move()
	after := threadUsage()
	close(s.todo)
	s.tally.cpu = after.cpu - before.cpu
	s.tally.wait = max(0, s.file.flight.spent()-busy-s.tally.cpu)
	if before.counts && after.counts {
		moved := after.moved - before.moved
		s.tally.device = &moved
	}
	return s.tally.plus(<-partner)
}

// move takes the blocks from the partner in turn, writes what is sealed, gives the block its next place, reads that, and
// hands it back. A test that only writes or only reads leaves out the other.
func (s *stream) move() {
	for pending := len(s.ready); pending > 0; pending-- {
		b := <-s.ready
		if !s.test.runs(s.tally.reads + s.tally.writes) {
			continue
		}
		if again, err := s.turn(b); err != nil {
			s.test.end("", err)
		} else if again {
			s.todo <- b
			pending++
		}
	}
}

// turn moves one block, and tells whether the partner is to see it again.
func (s *stream) turn(b *block) (again bool, err error) {
	if b.sealed {
		if err := s.file.write(b); err != nil {
			return false, err
		}
		s.tally.writes++
		s.written(b)
	}
	if !s.place(b) {
		return false, nil
	}
	if s.test.kind.reads() {
		if err := s.file.read(b); err != nil {
			return false, err
		}
		s.tally.reads++
		s.test.bytes.Add(int64(len(b.data)))
	}
	return true, nil
}

// written counts a write into the file's own account.
func (s *stream) written(b *block) {
	s.test.bytes.Add(int64(len(b.data)))
	if s.test.kind.extends() {
		s.file.blocks++
	} else {
		s.file.writes++
	}
}

// place gives a block its next place in the file, unless the file is full.
func (s *stream) place(b *block) bool {
	at := s.first + s.given
	if s.test.kind.extends() {
		if s.tally.full = at >= s.file.limit; s.tally.full {
			return false
		}
		b.number, b.next = at, 0
	} else {
		b.number, b.next = at*s.step%s.file.blocks, at/s.file.blocks+1
		b.pass = s.file.passOf(b.number)
	}
	s.given++
	return true
}

// plus adds what another stream did.
func (t tally) plus(o tally) tally {
	t.reads += o.reads
	t.writes += o.writes
	t.cpu += o.cpu
	t.crc += o.crc
	t.wait += o.wait
	t.full = t.full || o.full
	switch {
	case t.device == nil:
		t.device = o.device
	case o.device != nil:
		sum := *t.device + *o.device
		t.device = &sum
	}
	return t
}
