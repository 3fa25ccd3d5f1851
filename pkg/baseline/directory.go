//go:build linux

package baseline

import (
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/proof"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// Directory is what is known of one target directory when it is judged.
type Directory struct {
	topology.Target
	State topology.State
	// Error is why the directory is unknown, or why its last run did not measure; empty otherwise.
	Error string
	// Operation is what is in flight on the directory's path and InFlight for how long; empty and 0 when idle.
	Operation string
	InFlight  time.Duration
	// Success tells whether the last run measured; nil before the first.
	Success *bool
	// DeviceRatio is the share of the bytes read that came from storage; nil where the file system does not account.
	DeviceRatio *float64
	// Read and Commit are the last finished run; nil before there is one.
	Read   *Figures
	Commit *Figures
	// CoreRates are the throughput of each test and direction, in bytes per second and core; empty before the first.
	CoreRates []CoreRate
}

// Figures is ioping's summary of one run in seconds.
type Figures struct {
	Min, Avg, Max, Mdev float64
}

// CoreRate is the throughput of one test in one direction, in bytes per second and core.
type CoreRate struct {
	Test           string
	BytesPerSecond float64
}

// HungAfter is how long an operation may be in flight before its directory counts as hung.
const HungAfter = time.Second

func (d Directory) hung() bool { return d.Operation != "" && d.InFlight >= HungAfter }

func (d Directory) failing() bool { return d.Error != "" || d.Success != nil && !*d.Success }

func (d Directory) unproven() bool { return proof.Lacks(d.DeviceRatio) }

// latency is the mean of the last run, and whether that is the storage's latency now.
func (d Directory) latency() (float64, bool) {
	if d.Read == nil || d.hung() || d.failing() || d.unproven() || d.State == topology.StateAbsent {
		return 0, false
	}
	return d.Read.Avg, known(d.Read.Avg)
}
