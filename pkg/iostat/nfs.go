//go:build linux

package iostat

import (
	"fmt"
	"strings"

	"github.com/prometheus/procfs"
)

// NFS is what the NFS client saw of a mount in a window, as nfsiostat(8) has it. The kernel counts by superblock: mounts
// of one export may share the counters.
type NFS struct {
	// Read is the READ calls, Write the WRITE calls, nil when none was completed. COMMIT is in neither, as in nfsiostat.
	Read  *Calls `json:"read,omitempty"`
	Write *Calls `json:"write,omitempty"`
	// DirectReadBytes and DirectWrittenBytes went past the client's cache (O_DIRECT), by whomever.
	DirectReadBytes    uint64 `json:"direct_read_bytes"`
	DirectWrittenBytes uint64 `json:"direct_written_bytes"`
}

// Calls is the calls of one procedure. The times are sums over the window ÷ calls completed in it.
type Calls struct {
	CallsPerSecond float64 `json:"calls_per_second"`
	// RTTSeconds is from sending a call to its reply.
	RTTSeconds float64 `json:"rtt_seconds"`
	// ExecuteSeconds is from handing a call to the RPC layer to its end, queue and round trip included.
	ExecuteSeconds float64 `json:"execute_seconds"`
	// QueueSeconds is the wait for a transport before sending.
	QueueSeconds float64 `json:"queue_seconds"`
	// Retransmissions is the transmissions beyond one a call, over the whole window.
	Retransmissions uint64 `json:"retransmissions"`
}

// mountstats returns the counters of the NFS mount at a mount point; of several stacked there, the topmost.
func (f FS) mountstats(mountpoint string) (procfs.MountStatsNFS, error) {
	self, err := f.proc.Self()
	if err != nil {
		return procfs.MountStatsNFS{}, fmt.Errorf("open the process's own directory in proc: %w", err)
	}
	mounts, err := self.MountStats()
	if err != nil {
		return procfs.MountStatsNFS{}, fmt.Errorf("parse mountstats for %s: %w: %w", mountpoint, ErrMountStats, err)
	}
	var found *procfs.MountStatsNFS
	for _, m := range mounts {
		stats, isNFS := m.Stats.(*procfs.MountStatsNFS)
		if isNFS && (m.Mount == mountpoint || m.Mount == escape(mountpoint)) {
			found = stats
		}
	}
	if found == nil {
		return procfs.MountStatsNFS{}, fmt.Errorf("NFS mount %s in mountstats: %w", mountpoint, ErrAbsent)
	}
	return *found, nil
}

// escape writes a path as the kernel does in the tables of mounts.
func escape(path string) string {
	return strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`, "#", `\043`).Replace(path)
}

func nfsBetween(a, b procfs.MountStatsNFS, seconds float64) (NFS, error) {
	if seconds <= 0 {
		return NFS{}, fmt.Errorf("window of %g s: %w", seconds, ErrAbsent)
	}
	if b.Bytes.DirectRead < a.Bytes.DirectRead || b.Bytes.DirectWrite < a.Bytes.DirectWrite {
		return NFS{}, fmt.Errorf("direct bytes: %w", ErrReset)
	}
	reads, err := callsBetween(operation(a, "READ"), operation(b, "READ"), seconds)
	if err != nil {
		return NFS{}, fmt.Errorf("READ: %w", err)
	}
	writes, err := callsBetween(operation(a, "WRITE"), operation(b, "WRITE"), seconds)
	if err != nil {
		return NFS{}, fmt.Errorf("WRITE: %w", err)
	}
	return NFS{
		Read:               reads,
		Write:              writes,
		DirectReadBytes:    b.Bytes.DirectRead - a.Bytes.DirectRead,
		DirectWrittenBytes: b.Bytes.DirectWrite - a.Bytes.DirectWrite,
	}, nil
}

func operation(s procfs.MountStatsNFS, name string) procfs.NFSOperationStats {
	for _, o := range s.Operations {
		if o.Operation == name {
			return o
		}
	}
	return procfs.NFSOperationStats{}
}

func callsBetween(a, b procfs.NFSOperationStats, seconds float64) (*Calls, error) {
	if b.Requests < a.Requests || b.Transmissions < a.Transmissions ||
		b.CumulativeQueueMilliseconds < a.CumulativeQueueMilliseconds ||
		b.CumulativeTotalResponseMilliseconds < a.CumulativeTotalResponseMilliseconds ||
		b.CumulativeTotalRequestMilliseconds < a.CumulativeTotalRequestMilliseconds {
		return nil, ErrReset
	}
	calls := b.Requests - a.Requests
	if calls == 0 {
		return nil, nil
	}
	mean := func(a, b uint64) float64 { return float64(b-a) / 1000 / float64(calls) }
	return &Calls{
		CallsPerSecond:  float64(calls) / seconds,
		RTTSeconds:      mean(a.CumulativeTotalResponseMilliseconds, b.CumulativeTotalResponseMilliseconds),
		ExecuteSeconds:  mean(a.CumulativeTotalRequestMilliseconds, b.CumulativeTotalRequestMilliseconds),
		QueueSeconds:    mean(a.CumulativeQueueMilliseconds, b.CumulativeQueueMilliseconds),
		Retransmissions: max(b.Transmissions-a.Transmissions, calls) - calls,
	}, nil
}
