//go:build linux

package throughput

import (
	"sync"
	"sync/atomic"
	"time"
)

// test is one test while it runs: what its threads share.
type test struct {
	kind     Test
	crc      bool
	started  time.Time
	deadline time.Time
	bytes    atomic.Int64
	over     atomic.Bool

	mu sync.Mutex
	// early and err say why it is over before its time. The first word counts.
	early string
	err   error
}

func newTest(kind Test, crc bool, duration time.Duration) *test {
	started := time.Now()
	return &test{kind: kind, crc: crc, started: started, deadline: started.Add(duration)}
}

// end ends the test early, for a reason or for an error.
func (t *test) end(early string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over.Swap(true) {
		return
	}
	t.early, t.err = early, err
}

// ended returns what end was called with.
func (t *test) ended() (early string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.early, t.err
}

// runs tells a thread whether to go on after so many blocks. Each does one at least, that there be something to report.
func (t *test) runs(blocks int64) bool {
	return !t.over.Load() && (blocks == 0 || time.Now().Before(t.deadline))
}
