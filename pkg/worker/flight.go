//go:build linux

package worker

import (
	"encoding/json"
	"time"
)

// silence is how long a worker may take to say what it does with a task before the task itself counts as in flight. A
// worker that is well says it within microseconds.
const silence = 200 * time.Millisecond

// flight is a task that a worker has, guarded by its pool's mutex. It ends when the worker has answered or is gone, which
// can be long after its Do has returned.
type flight struct {
	id      uint64
	target  string
	process *process
	onEvent func([]byte)

	// sent and at are times of CLOCK_MONOTONIC in nanoseconds; at and name are of the operation announced last.
	sent  int64
	heard bool
	at    int64
	name  [MaxName]byte
	size  int
	// since is the wall clock's time of what is in flight, kept so that it stands still while that hangs.
	since time.Time

	settled bool
	result  json.RawMessage
	err     error
	done    chan struct{} // closed when settled
}

func (f *flight) announce(name []byte, at int64) {
	f.heard = true
	f.at = at
	f.size = copy(f.name[:], name)
	f.since = time.Time{}
}

// operation tells what is in flight at the time now.
func (f *flight) operation(now int64, clock func() time.Time) (Operation, bool) {
	name, at := string(f.name[:f.size]), f.at
	if !f.heard {
		name, at = "worker", f.sent
	}
	if name == "" || at > now || !f.heard && now-at <= int64(silence) {
		return Operation{}, false
	}
	if f.since.IsZero() {
		f.since = clock().Add(-time.Duration(now - at))
	}
	return Operation{Name: name, Since: f.since}, true
}

// settle gives Do its answer; only the first one counts.
func (f *flight) settle(result json.RawMessage, err error) {
	if f.settled {
		return
	}
	f.settled, f.result, f.err = true, result, err
	close(f.done)
}
