//go:build linux

package worker

import (
	"io"
	"sync"
)

// outbox holds what a worker has yet to be told, so that nobody waits for a worker that does not read. It is bounded by
// what the pool sends: one run and one cancel for each target.
type outbox struct {
	mu     sync.Mutex
	change *sync.Cond
	buf    []byte
	closed bool
}

func newOutbox() *outbox {
	o := &outbox{}
	o.change = sync.NewCond(&o.mu)
	return o
}

func (o *outbox) push(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buf = append(o.buf, b...)
	o.change.Signal()
}

// close lets drain return once it has written what is there.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.change.Signal()
}

// drain writes what is pushed until the outbox is closed. It reports whether all could be written.
func (o *outbox) drain(out io.Writer) bool {
	for {
		b := o.take()
		if b == nil {
			return true
		}
		if _, err := out.Write(b); err != nil {
			return false
		}
	}
}

func (o *outbox) take() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.buf == nil && !o.closed {
		o.change.Wait()
	}
	b := o.buf
	o.buf = nil
	return b
}
