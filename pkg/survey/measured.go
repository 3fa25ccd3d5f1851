//go:build linux

package survey

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// Measured is a directory with the figures of its run.
type Measured struct {
	Directory
	// Tried tells that there was a run: the directory was there, and the run was not stopped before it had an answer.
	Tried  bool
	Result latency.Result
	// Failed counts failures by reason, FailedCommits the commits among them, Requests the requests that were finished,
	// warm-up included.
	Failed        map[string]uint64
	FailedCommits int
	Requests      [2]int
	// Latencies are those of the counted requests in seconds, by latency.Op.
	Latencies [2][]float64
	// Elapsed is from the start of the first request to the end of the last, by latency.Op.
	Elapsed [2]time.Duration
	// InFlight is the operation that had not come back at the end, nil when there was none.
	InFlight *worker.Operation
}

// Picture is the directory as the report has it.
func (m Measured) Picture(ended time.Time) status.Target {
	t := status.Target{Target: m.Target, Facts: m.Facts, Skipped: map[string]uint64{}, Failed: map[string]uint64{}, Error: m.Facts.Error}
	if m.InFlight != nil {
		t.InFlight = &status.Operation{Name: m.InFlight.Name, Since: m.InFlight.Since}
	}
	if !m.Tried {
		return t
	}
	t.Failed = m.Failed
	r := m.Result
	success := status.Measured(r, m.FailedCommits)
	t.Success, t.Error, t.IO, t.DeviceRatio, t.Runs = &success, r.Error, r.IO, r.DeviceRatio, 1
	t.Read = m.figures(latency.Read, r.Read, ended)
	t.Commit = m.figures(latency.Commit, r.Commit, ended)
	if success {
		t.LastSuccess = &ended
	}
	return t
}

// begun tells whether anything came of the run.
func (m Measured) begun() bool {
	return m.Result.Read.Count+m.Result.Commit.Count+len(m.Failed) > 0 || m.Result.Error != ""
}

func (m Measured) figures(op latency.Op, s latency.Stats, ended time.Time) *status.Run {
	run := status.Figures(s, m.Requests[op], m.Result, ended)
	if run != nil {
		run.Elapsed = m.Elapsed[op].Seconds()
		run.Quantiles = status.QuantilesOf(m.Latencies[op])
	}
	return run
}

// tally adds up samples, so that a run which is stopped or hangs still has figures.
type tally struct {
	mu        sync.Mutex
	result    latency.Result
	requests  [2]int
	first     [2]latency.Instant
	elapsed   [2]time.Duration
	latencies [2][]float64
	failed    map[string]uint64
	commits   int // that failed
}

func newTally() *tally { return &tally{failed: make(map[string]uint64)} }

func (t *tally) add(s latency.Sample) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests[s.Op]++
	if t.requests[s.Op] == 1 {
		t.first[s.Op] = s.Start
	}
	t.elapsed[s.Op] = time.Duration(s.Start-t.first[s.Op]) + s.Latency
	if t.result.Started == 0 {
		t.result.Started = s.Start
	}
	t.result.Ended = s.Start + latency.Instant(s.Latency)
	switch {
	case s.Reason != "":
		t.failed[string(s.Reason)]++
		if s.Op == latency.Commit {
			t.commits++
		}
	case s.WarmUp:
	case s.Op == latency.Read:
		t.result.Read.Add(s.Latency)
		t.latencies[s.Op] = append(t.latencies[s.Op], s.Latency.Seconds())
	default:
		t.result.Commit.Add(s.Latency)
		t.latencies[s.Op] = append(t.latencies[s.Op], s.Latency.Seconds())
	}
}

// into writes the run's own result where it has one, else what the samples tell. Of a run that was given up, samples go on
// to arrive: what is written shares nothing with them.
func (t *tally) into(m *Measured, r latency.Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, why := range []reason.Reason{r.ReadFailure, r.CommitFailure} {
		if why != "" {
			t.failed[string(why)]++
		}
	}
	if r.Ended == 0 {
		r = t.result
	}
	m.Result, m.Failed, m.FailedCommits, m.Requests, m.Elapsed = r, maps.Clone(t.failed), t.commits, t.requests, t.elapsed
	for op := range t.latencies {
		m.Latencies[op] = slices.Clone(t.latencies[op])
	}
}
