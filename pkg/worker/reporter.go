//go:build linux

package worker

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

// reportSize holds the largest event and the operation behind it, so that a reporter never allocates.
const reportSize = headerSize + MaxEvent + headerSize + maxOperation

// sink is the pipe to the daemon, which all tasks of a worker share.
type sink struct {
	mu   sync.Mutex
	file *os.File
	// fail is told why the pipe is broken.
	fail func(error)
}

func (s *sink) write(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.file.Write(b); err != nil {
		s.fail(fmt.Errorf("write to the daemon: %w", err))
	}
}

// reporter is a task's way to the sink.
type reporter struct {
	out *sink
	id  uint64

	mu     sync.Mutex
	buf    []byte
	closed bool
}

func newReporter(out *sink, id uint64) *reporter {
	return &reporter{out: out, id: id, buf: make([]byte, 0, reportSize)}
}

// Operation implements [Reporter].
func (r *reporter) Operation(name string, at int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.makeRoom(headerSize + maxOperation)
	r.buf = appendOperation(r.buf, r.id, name, at)
	r.flush()
}

// Event implements [Reporter].
func (r *reporter) Event(payload []byte) {
	if len(payload) > MaxEvent {
		panic(fmt.Sprintf("event of %d bytes exceeds %d", len(payload), MaxEvent))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.makeRoom(headerSize + len(payload))
	r.buf = appendFrame(r.buf, kindEvent, r.id, payload)
}

// finish sends the task's outcome behind its last events.
func (r *reporter) finish(result any, failure error) {
	k, body := outcome(result, failure)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buf = appendFrame(r.buf, k, r.id, body)
	r.flush()
	r.closed = true
}

func (r *reporter) makeRoom(size int) {
	if len(r.buf)+size > cap(r.buf) {
		r.flush()
	}
}

func (r *reporter) flush() {
	r.out.write(r.buf)
	r.buf = r.buf[:0]
}

func outcome(result any, failure error) (kind, []byte) {
	if failure == nil {
		body, err := json.Marshal(result)
		if err == nil && len(body) <= MaxMessage {
			return kindResult, body
		}
		failure = err
		if err == nil {
			failure = fmt.Errorf("result of %d bytes exceeds %d", len(body), MaxMessage)
		}
	}
	text := failure.Error()
	return kindError, []byte(text[:min(len(text), MaxMessage)])
}
