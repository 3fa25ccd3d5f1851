//go:build linux

package throughput

import (
	"fmt"
	"slices"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// Block sizes are multiples of 512 bytes, as O_DIRECT needs it.
const (
	MinBlockSize = 4 << 10
	MaxBlockSize = 64 << 20
)

// Spec says what a run measures. The zero value is not usable.
type Spec struct {
	// Directory is the target directory; symlinks in it are followed, below it never.
	Directory string `json:"directory"`
	// Mount is where the directory was found. On another mount nothing is touched, and the run is skipped as mount.
	// The zero value asks for no check.
	Mount topology.Mount `json:"mount"`
	// Host goes into the names of the files made in Directory.
	Host string `json:"host"`
	// Source is what lies under the directory, for Result.Device and Result.NFS.
	Source iostat.Source `json:"source"`
	// Tests are those to run, in any order; they run in that of Tests.
	Tests []Test `json:"tests"`
	// Duration is how long each test runs. Files that must be laid out before take at most as long again.
	Duration time.Duration `json:"duration"`
	// Threads is how many read and write at once, each its own file; 0 stands for PhysicalCores.
	Threads int `json:"threads"`
	// BlockSize is the bytes of one request. Each thread keeps two blocks in memory.
	BlockSize int64 `json:"block_size"`
	// MaxBytes is how much the files of all threads and tests together may hold at any time.
	MaxBytes int64 `json:"max_bytes"`
	// MinFree is what stays free on the file system.
	MinFree FreeSpace `json:"min_free"`
	// CRC asks for a checksum in each block that is written, and for the check of each block that is read.
	CRC bool `json:"crc"`
}

// FreeSpace is how much of a file system stays free: the larger of a share and a size.
type FreeSpace struct {
	// Percent is from 0 to 100, of what df shows as the size.
	Percent float64 `json:"percent"`
	Bytes   int64   `json:"bytes"`
}

func (f FreeSpace) of(total int64) int64 {
	return max(f.Bytes, int64(float64(total)*f.Percent/100))
}

// Validate names the first field that no run can be made of. Run does the same.
func (s Spec) Validate() error {
	for _, t := range s.Tests {
		if !slices.Contains(Tests(), t) {
			return fmt.Errorf("test %q is none of %v", t, Tests())
		}
	}
	switch {
	case len(s.Tests) == 0:
		return fmt.Errorf("no tests asked for; there are %v", Tests())
	case s.Duration <= 0:
		return fmt.Errorf("duration %v is not above 0", s.Duration)
	case s.Threads < 0:
		return fmt.Errorf("number of threads %d is below 0", s.Threads)
	case s.BlockSize < MinBlockSize || s.BlockSize > MaxBlockSize || s.BlockSize%512 != 0:
		return fmt.Errorf("block size %d is no multiple of 512 from %d to %d", s.BlockSize, MinBlockSize, MaxBlockSize)
	case s.MaxBytes < s.threads()*s.BlockSize:
		return fmt.Errorf("%d bytes at most are less than a block of %d bytes for each of %d threads; raise the limit or lower the others",
			s.MaxBytes, s.BlockSize, s.threads())
	case s.MinFree.Percent < 0 || s.MinFree.Percent > 100 || s.MinFree.Bytes < 0:
		return fmt.Errorf("free space %v%% or %d bytes is out of range", s.MinFree.Percent, s.MinFree.Bytes)
	}
	return nil
}

// threads returns Threads with the default filled in.
func (s Spec) threads() int64 {
	if s.Threads > 0 {
		return int64(s.Threads)
	}
	return int64(PhysicalCores("/sys"))
}

// Observer is told of a run while it lasts, about five times a second, on one goroutine.
type Observer interface {
	// Operation announces the oldest operation now in flight of all threads (open, statfs, read, write, fdatasync, unlink,
	// …) and when it began, in nanoseconds of CLOCK_MONOTONIC. An empty name says that nothing is in flight.
	Operation(name string, at int64)
	// Progress tells how long the test has run, and the bytes it has moved so far.
	Progress(test Test, elapsed time.Duration, bytes int64)
}
