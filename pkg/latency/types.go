//go:build linux

package latency

import (
	"math"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/reason"
)

// Op is what a request does.
type Op uint8

const (
	// Read is one read of RequestSize bytes at a random aligned offset of the probe file.
	Read Op = iota
	// Commit is create, write of 4 KiB, fsync and rename, timed together: what cpimport does to bulkRollback for each column.
	Commit
)

// String returns the name that metrics carry: read or commit.
func (o Op) String() string {
	if o == Commit {
		return "commit"
	}
	return "read"
}

// Instant is a time on CLOCK_MONOTONIC in nanoseconds, which all processes of a machine share. 0 means none.
type Instant int64

// Sample is one finished request.
type Sample struct {
	Op Op
	// Start is when the request began.
	Start Instant
	// Latency is how long the timed calls took. It holds for failed requests too.
	Latency time.Duration
	// WarmUp marks the first read of a run, which is not counted, as in ioping.
	WarmUp bool
	// Lag is how long after its time the request began.
	Lag time.Duration
	// Reason is why the request failed; empty for success.
	Reason reason.Reason
}

// lateAfter is the lag from which a request counts as late.
const lateAfter = 10 * time.Millisecond

// Late tells whether the request began more than 10 ms after its time.
func (s Sample) Late() bool { return s.Lag > lateAfter }

// Stats is ioping's summary over the counted, successful requests of a run.
type Stats struct {
	Count int `json:"count"`
	// Sum is Σx and SumSquares Σx², in seconds and seconds squared.
	Sum        float64 `json:"sum_seconds"`
	SumSquares float64 `json:"sum_squares"`
	Min        float64 `json:"min_seconds"`
	Max        float64 `json:"max_seconds"`
}

// Add counts one request.
func (s *Stats) Add(d time.Duration) {
	x := d.Seconds()
	if s.Count == 0 || x < s.Min {
		s.Min = x
	}
	s.Max = math.Max(s.Max, x)
	s.Count++
	s.Sum += x
	s.SumSquares += x * x
}

// Avg is the mean in seconds, NaN when nothing was counted.
func (s *Stats) Avg() float64 { return s.Sum / float64(s.Count) }

// Mdev is ioping's population deviation √(E[x²] − E[x]²) in seconds, NaN when nothing was counted.
func (s *Stats) Mdev() float64 {
	n := float64(s.Count)
	return math.Sqrt(math.Max(0, s.SumSquares/n-(s.Sum/n)*(s.Sum/n)))
}
