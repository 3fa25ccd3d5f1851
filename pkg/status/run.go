//go:build linux

package status

import (
	"math"
	"slices"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
)

// Measured tells whether a run measured: a read was counted, and where commits failed one at least was counted beside
// them. Commits whose time passed while a slow request was under way were not begun, and are no failure.
func Measured(r latency.Result, failedCommits int) bool {
	return r.Read.Count > 0 && r.CommitFailure == "" && (failedCommits == 0 || r.Commit.Count > 0)
}

// Figures are ioping's four over the counted requests of one run, nil when nothing was counted. Requests is how many were
// started.
func Figures(s latency.Stats, requests int, r latency.Result, ended time.Time) *Run {
	if s.Count == 0 {
		return nil
	}
	return &Run{
		Ended: ended, Requests: requests, Count: s.Count, Min: s.Min, Avg: s.Avg(), Max: s.Max, Mdev: s.Mdev(),
		Elapsed: time.Duration(r.Ended - r.Started).Seconds(),
	}
}

// QuantilesOf returns the quantiles of latencies in seconds by nearest rank, nil when there are none.
func QuantilesOf(latencies []float64) *Quantiles {
	if len(latencies) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(latencies))
	at := func(share float64) float64 { return sorted[int(math.Ceil(share*float64(len(sorted))))-1] }
	return &Quantiles{P50: at(0.50), P95: at(0.95), P99: at(0.99)}
}
