//go:build linux

package latency

import (
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// Spec says what one run measures. The zero value is not usable.
type Spec struct {
	// Directory is the target directory; symlinks in it are followed, below it never.
	Directory string `json:"directory"`
	// Mount is where the directory was found. On another mount nothing is touched, and the run is skipped as mount.
	// The zero value asks for no check.
	Mount topology.Mount `json:"mount"`
	// Anew says that the directory was in trouble since the last run. A file system that has crashed may bring back what
	// was removed, so files of this process's own are taken for left by a crash, too.
	Anew bool `json:"anew,omitempty"`
	// Host goes into the names of the files made in Directory.
	Host string `json:"host"`
	// Start is when the first request is due; zero means at once. Where the directory and the probe file are not ready
	// by then, all requests are due so much later.
	Start Instant `json:"start"`
	// Count is the number of reads, the first a warm-up that is not counted.
	Count int `json:"count"`
	// Commits is the number of commits after the reads; none is a warm-up.
	Commits int `json:"commits"`
	// Interval is the time from the start of one request to the start of the next. There is no catching up: the requests
	// whose time passes while another one stalls are left out, so a run takes its time and no longer.
	Interval time.Duration `json:"interval"`
	// RequestSize and WorkingSet are in bytes; WorkingSet is the size of the probe file, rounded down to whole requests.
	RequestSize int64 `json:"request_size"`
	WorkingSet  int64 `json:"working_set"`
	// Buffered asks for ioping's default mode (page cache dropped before each request) instead of O_DIRECT.
	Buffered bool `json:"buffered"`
}

// Observer is told of everything that happens in a run, on the run's own thread and in order.
type Observer interface {
	// Operation announces that the named operation (open, stat, read, fsync, …) on storage begins at that time, now or
	// in the future. An empty name says that the target is idle.
	Operation(name string, at Instant)
	// Sample reports a finished request. The next Operation follows at once.
	Sample(s Sample)
}

// Result is what a run measured.
type Result struct {
	Read   Stats `json:"read"`
	Commit Stats `json:"commit"`
	// IO is the mode that was really used: direct or buffered; empty when the probe file could not be opened.
	IO string `json:"io"`
	// DeviceRatio is the bytes that the kernel fetched from storage for the reading thread ÷ the bytes asked for, over
	// the counted reads; nil where the file system does not account.
	DeviceRatio *float64 `json:"device_ratio,omitempty"`
	// ReadFailure and CommitFailure are why that part could not begin (the probe file could not be made, or was damaged
	// and is made anew by the next run; a leftover file cannot be removed; …); empty otherwise. Failures of single
	// requests are in their samples.
	ReadFailure   reason.Reason `json:"read_failure,omitempty"`
	CommitFailure reason.Reason `json:"commit_failure,omitempty"`
	// Skip is mount when the directory is on another mount than Spec.Mount, absent when it is not there, else empty.
	Skip reason.Skip `json:"skip,omitempty"`
	// Error is the text that belongs to the first failure: what was attempted, on which path.
	Error   string  `json:"error,omitempty"`
	Started Instant `json:"started"`
	Ended   Instant `json:"ended"`
}
