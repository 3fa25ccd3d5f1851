//go:build linux

// Package throughput measures how fast a directory takes and gives large blocks, as vioperf does, in so many threads as
// there are physical cores: extending files, writing over them, rewriting, reading, and reading here and there. Unlike
// vioperf it is bounded in space, and tells what the device saw meanwhile.
package throughput

import (
	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/proof"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
)

// Test names one test.
type Test string

const (
	// Write extends files: no preallocation, so that the file system's own work for new blocks is in the figure.
	Write Test = "write"
	// Overwrite writes the same way over blocks that are allocated, round and round.
	Overwrite Test = "overwrite"
	// Rewrite reads a block and writes it back with new content; both directions count.
	Rewrite Test = "rewrite"
	// ReadTest reads the files from their beginning, round and round.
	ReadTest Test = "read"
	// SkipRead reads blocks that do not follow one another.
	SkipRead Test = "skipread"
)

// LayOut is not a test: it is what Observer.Progress calls the writing of files that the tests after it need.
const LayOut Test = "layout"

// Tests returns all tests in the order in which they run.
func Tests() []Test { return []Test{Write, Overwrite, Rewrite, ReadTest, SkipRead} }

// reads tells whether the test reads blocks.
func (t Test) reads() bool { return t == Rewrite || t == ReadTest || t == SkipRead }

// writes tells whether the test writes blocks.
func (t Test) writes() bool { return t.extends() || t == Overwrite || t == Rewrite }

// extends tells whether the blocks it writes are new.
func (t Test) extends() bool { return t == Write || t == LayOut }

// The guideline per physical core, in bytes per second, that vioperf's documentation gives for reading and writing.
const (
	CoreMinimum     = 20e6
	CoreRecommended = 40e6
)

// The values of Result.EndedEarly.
const (
	EndedMaxBytes = "max_bytes" // the files are as large as they may become
	EndedMinFree  = "min_free"  // the file system is as full as it may become
	EndedStopped  = "stopped"   // the context ended
)

// The values of Result.IO.
const (
	// Direct is O_DIRECT.
	Direct = "direct"
	// Buffered is what happens where O_DIRECT is refused: each write is followed by fdatasync, and before each read its
	// range is dropped from the page cache.
	Buffered = "buffered"
)

// Outcome is what a run in one directory came to.
type Outcome struct {
	// Tests are the tests that ran, in order. A failure, a stop or a lack of space leaves out those after it.
	Tests []Result `json:"tests"`
	// Skip is why nothing was done: absent, mount (the directory is on another mount than Spec.Mount) or disk_space.
	Skip reason.Skip `json:"skip,omitempty"`
	// Failure is why the run could not be prepared or cleaned up, Error the text that belongs to it. The failures of
	// tests are in their results.
	Failure reason.Reason `json:"failure,omitempty"`
	Error   string        `json:"error,omitempty"`
}

// Result is what one test of one directory measured.
type Result struct {
	Test Test `json:"test"`
	// Seconds is the time from the start of the threads to the end of the last.
	Seconds float64 `json:"seconds"`
	Threads int     `json:"threads"`
	// ReadBytes and WrittenBytes are the bytes moved, Seeks the blocks of skipread.
	ReadBytes    int64 `json:"read_bytes"`
	WrittenBytes int64 `json:"written_bytes"`
	Seeks        int64 `json:"seeks"`
	// CPU, IOWait and CRC are shares of Threads × Seconds. CPU is processor time of the threads that move blocks and of
	// those that check them, so CRC is part of it, and above 1 is possible where a core is free. IOWait is the time inside
	// read, write and fdatasync calls less the processor time of the threads that make them: the wait for storage.
	CPU    float64 `json:"cpu_ratio"`
	IOWait float64 `json:"iowait_ratio"`
	CRC    float64 `json:"crc_ratio"`
	// EndedEarly is why a test stopped before its time, empty otherwise; the figures hold for the time it had.
	EndedEarly string `json:"ended_early,omitempty"`
	// IO is the mode as really used.
	IO string `json:"io"`
	// DeviceRatio is the bytes that the kernel moved between storage and the threads (read_bytes and write_bytes of
	// /proc/thread-self/io) ÷ the bytes of the test, at most 1. Far below 1 O_DIRECT was accepted but not honoured: a cache
	// was measured. Nil where the file system does not account (FUSE).
	DeviceRatio *float64 `json:"device_ratio,omitempty"`
	// Device and NFS are what the layers below saw during the test, whoever asked; nil where there are none.
	Device *iostat.Device `json:"device,omitempty"`
	NFS    *iostat.NFS    `json:"nfs,omitempty"`
	// StatisticsError is why Device or NFS is missing though there should be one: mountstats not understood, counters
	// that went backwards, a device that vanished.
	StatisticsError string `json:"statistics_error,omitempty"`
	// Failure is the storage failure reason, empty for success; Error the text that belongs to it. ENOSPC and EDQUOT end a
	// test with figures that hold up to there.
	Failure reason.Reason `json:"failure,omitempty"`
	Error   string        `json:"error,omitempty"`
}

// Cached tells that much of what the test moved never reached storage, so that its figures are of a cache.
func (r Result) Cached() bool { return proof.Lacks(r.DeviceRatio) }

// ReadRate is bytes read per second over all threads.
func (r Result) ReadRate() float64 { return per(float64(r.ReadBytes), r.Seconds) }

// WriteRate is bytes written per second over all threads.
func (r Result) WriteRate() float64 { return per(float64(r.WrittenBytes), r.Seconds) }

// SeekRate is blocks of skipread per second over all threads.
func (r Result) SeekRate() float64 { return per(float64(r.Seeks), r.Seconds) }

// PerCore divides a rate by the threads, of which there is one a physical core.
func (r Result) PerCore(rate float64) float64 { return per(rate, float64(r.Threads)) }

func per(x, y float64) float64 {
	if y == 0 {
		return 0
	}
	return x / y
}
