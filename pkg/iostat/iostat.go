//go:build linux

// Package iostat tells what a block device, or the NFS client, saw during a window of time: the figures of iostat(1) and
// nfsiostat(8) as differences of two readings of /proc. It touches no file system but /proc and /sys, so it cannot hang
// on the storage that it describes.
//
// The counters belong to the device, not to the reader: what others do in the window is in the figures too.
package iostat

import (
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/procfs"
	"github.com/prometheus/procfs/blockdevice"
)

var (
	// ErrAbsent is wrapped when the device or the mount has no counters: it is not there, or it went away in the window.
	ErrAbsent = errors.New("no counters")
	// ErrReset is wrapped when counters went backwards in the window: the device was removed and came back.
	ErrReset = errors.New("counters went backwards")
	// ErrMountStats is wrapped when /proc/self/mountstats could not be parsed, whose format differs between kernels.
	ErrMountStats = errors.New("mountstats not understood")
)

// Source names what the counters are read of. Both fields empty stand for storage without counters (tmpfs, FUSE).
type Source struct {
	// Device is the kernel's name of the block device directly under the file system (sda1, dm-3, md0, loop2). The layers
	// below it see the same requests again, so they are not looked at.
	Device string `json:"device,omitempty"`
	// NFS is the mount point of an NFS mount.
	NFS string `json:"nfs,omitempty"`
}

// Stats are the figures of a window.
type Stats struct {
	// Seconds is the length of the window.
	Seconds float64 `json:"seconds"`
	Device  *Device `json:"device,omitempty"`
	NFS     *NFS    `json:"nfs,omitempty"`
}

// FS reads the counters below the mount points of proc and sysfs.
type FS struct {
	proc  procfs.FS
	block blockdevice.FS
	sys   string
}

// New returns the counters below proc and sys: /proc and /sys, but for tests.
func New(proc, sys string) (FS, error) {
	p, err := procfs.NewFS(proc)
	if err != nil {
		return FS{}, fmt.Errorf("open %s: %w", proc, err)
	}
	b, err := blockdevice.NewFS(proc, sys)
	if err != nil {
		return FS{}, fmt.Errorf("open %s and %s: %w", proc, sys, err)
	}
	return FS{proc: p, block: b, sys: sys}, nil
}

// Window is a window of time that has begun.
type Window struct {
	fs     FS
	source Source
	begin  reading
}

// reading is the counters at one moment.
type reading struct {
	at     time.Time
	device blockdevice.Diskstats
	nfs    procfs.MountStatsNFS
}

// Begin reads the counters of the source for the first time. Errors wrap ErrAbsent or ErrMountStats, or are of reading /proc.
func (f FS) Begin(source Source) (Window, error) {
	r, err := f.read(source)
	return Window{fs: f, source: source, begin: r}, err
}

// End reads the counters again and returns the figures in between. Errors are those of Begin, and ErrReset.
func (w Window) End() (Stats, error) {
	end, err := w.fs.read(w.source)
	if err != nil {
		return Stats{}, err
	}
	seconds := end.at.Sub(w.begin.at).Seconds()
	stats := Stats{Seconds: seconds}
	if w.source.Device != "" {
		device, err := deviceBetween(w.begin.device.IOStats, end.device.IOStats, seconds)
		if err != nil {
			return Stats{}, fmt.Errorf("difference of diskstats of %s: %w", w.source.Device, err)
		}
		device.MaximumRequestBytes = w.fs.maximumRequest(w.source.Device)
		stats.Device = &device
	}
	if w.source.NFS != "" {
		nfs, err := nfsBetween(w.begin.nfs, end.nfs, seconds)
		if err != nil {
			return Stats{}, fmt.Errorf("difference of mountstats of %s: %w", w.source.NFS, err)
		}
		stats.NFS = &nfs
	}
	return stats, nil
}

func (f FS) read(source Source) (r reading, err error) {
	if source.Device != "" {
		if r.device, err = f.diskstats(source.Device); err != nil {
			return reading{}, err
		}
	}
	if source.NFS != "" {
		if r.nfs, err = f.mountstats(source.NFS); err != nil {
			return reading{}, err
		}
	}
	r.at = time.Now()
	return r, nil
}
