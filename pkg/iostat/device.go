//go:build linux

package iostat

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/prometheus/procfs/blockdevice"
)

// sectorBytes is the unit of the sector counters in diskstats, whatever the device's own sector size is.
const sectorBytes = 512

// Device is what a block device saw in a window: the columns of iostat -x in base units. The formulas are those of
// sysstat (rd_stats.c, iostat.c) over the counters of Documentation/admin-guide/iostats.rst.
type Device struct {
	// Read and Write are nil when no request of that direction was completed.
	Read  *Direction `json:"read,omitempty"`
	Write *Direction `json:"write,omitempty"`
	// QueueLength is aqu-sz: Δ weighted milliseconds ÷ 1000 ÷ window. The mean number of requests queued or in service.
	QueueLength float64 `json:"queue_length"`
	// Utilization is %util as a share from 0 to 1: Δ milliseconds with a request in flight ÷ 1000 ÷ window. A device that
	// serves several requests at once may have capacity left at 1.
	Utilization float64 `json:"utilization_ratio"`
	// MaximumRequestBytes is the queue's max_sectors_kb: larger requests are split. 0 when unknown.
	MaximumRequestBytes int64 `json:"maximum_request_bytes"`
}

// Direction is one direction of a Device.
type Direction struct {
	// RequestsPerSecond is r/s or w/s: Δ completed ÷ window, after merging.
	RequestsPerSecond float64 `json:"requests_per_second"`
	// BytesPerSecond is rkB/s or wkB/s: Δ sectors × 512 ÷ window.
	BytesPerSecond float64 `json:"bytes_per_second"`
	// RequestBytes is rareq-sz or wareq-sz: Δ sectors × 512 ÷ Δ completed.
	RequestBytes float64 `json:"request_bytes"`
	// AwaitSeconds is r_await or w_await, queue and service: Δ milliseconds ÷ 1000 ÷ Δ completed. The counter is cut to
	// whole milliseconds, so that a handful of fast requests says little.
	AwaitSeconds float64 `json:"await_seconds"`
	// MergedRatio is %rrqm or %wrqm from 0 to 1: Δ merged ÷ (Δ merged + Δ completed).
	MergedRatio float64 `json:"merged_ratio"`
}

func (f FS) diskstats(device string) (blockdevice.Diskstats, error) {
	all, err := f.block.ProcDiskstats()
	if err != nil {
		return blockdevice.Diskstats{}, fmt.Errorf("read diskstats for %s: %w", device, err)
	}
	for _, d := range all {
		if d.DeviceName == device {
			return d, nil
		}
	}
	return blockdevice.Diskstats{}, fmt.Errorf("device %s in diskstats: %w", device, ErrAbsent)
}

func deviceBetween(a, b blockdevice.IOStats, seconds float64) (Device, error) {
	if seconds <= 0 {
		return Device{}, fmt.Errorf("window of %g s: %w", seconds, ErrAbsent)
	}
	reads, err := directionBetween(
		counters{a.ReadIOs, a.ReadMerges, a.ReadSectors, a.ReadTicks},
		counters{b.ReadIOs, b.ReadMerges, b.ReadSectors, b.ReadTicks}, seconds)
	if err != nil {
		return Device{}, fmt.Errorf("reads: %w", err)
	}
	writes, err := directionBetween(
		counters{a.WriteIOs, a.WriteMerges, a.WriteSectors, a.WriteTicks},
		counters{b.WriteIOs, b.WriteMerges, b.WriteSectors, b.WriteTicks}, seconds)
	if err != nil {
		return Device{}, fmt.Errorf("writes: %w", err)
	}
	return Device{
		Read:        reads,
		Write:       writes,
		QueueLength: ticks(a.WeightedIOTicks, b.WeightedIOTicks) / seconds,
		Utilization: min(1, ticks(a.IOsTotalTicks, b.IOsTotalTicks)/seconds),
	}, nil
}

// counters are the four counters that diskstats keeps of a direction.
type counters struct{ completed, merged, sectors, milliseconds uint64 }

func directionBetween(a, b counters, seconds float64) (*Direction, error) {
	if b.completed < a.completed || b.merged < a.merged || b.sectors < a.sectors {
		return nil, ErrReset
	}
	completed := float64(b.completed - a.completed)
	if completed == 0 {
		return nil, nil
	}
	merged := float64(b.merged - a.merged)
	bytes := float64(b.sectors-a.sectors) * sectorBytes
	return &Direction{
		RequestsPerSecond: completed / seconds,
		BytesPerSecond:    bytes / seconds,
		RequestBytes:      bytes / completed,
		AwaitSeconds:      ticks(a.milliseconds, b.milliseconds) / completed,
		MergedRatio:       merged / (merged + completed),
	}, nil
}

// ticks returns the seconds between two readings of a millisecond counter. The kernel prints those as 32 bits, which wrap
// after 50 days of accumulated time, sooner than that on a busy device; a difference modulo 2³² is right across a wrap.
func ticks(a, b uint64) float64 { return float64(uint32(b-a)) / 1000 }

// maximumRequest returns the queue's limit in bytes. A partition has no queue: its disk's directory in sysfs is the parent
// of its own. The file is read here as blockdevice's queue statistics are all or nothing, and no kernel has all of them.
func (f FS) maximumRequest(device string) int64 {
	directory := filepath.Join(f.sys, "class", "block", strings.ReplaceAll(device, "/", "!"))
	// Joined by hand: filepath.Join would take ".." away before the kernel has followed the symlink.
	for _, queue := range []string{"/queue", "/../queue"} {
		text, err := os.ReadFile(directory + queue + "/max_sectors_kb")
		if err != nil {
			continue
		}
		if kib, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
			return kib << 10
		}
	}
	return 0
}
