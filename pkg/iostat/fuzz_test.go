package iostat_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/iostat"
)

// finite tells whether a figure is one that may be published.
func finite(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }

// FuzzMountstats reads arbitrary text as /proc/self/mountstats: an error, or figures that can be.
func FuzzMountstats(f *testing.F) {
	for _, recording := range []string{"mountstats-before", "mountstats-after"} {
		text, err := os.ReadFile(filepath.Join("testdata", recording))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), strings.ReplaceAll(string(text), "READ: 4 4 0", "READ: 9 9 0"))
	}
	f.Add("device server:/export mounted on /mnt/nfs with fstype nfs4 statvers=1.1\n", "device x mounted on /mnt/nfs with fstype nfs statvers=1.0\nbytes: 1\n")
	m := newMachine(f)
	f.Fuzz(func(t *testing.T, before, after string) {
		m := machine{t: t, root: m.root}
		m.write("proc/7/mountstats", before)
		window, err := m.fs().Begin(iostat.Source{NFS: "/mnt/nfs"})
		if err != nil {
			return
		}
		m.write("proc/7/mountstats", after)
		stats, err := window.End()
		if err != nil {
			return
		}
		for _, calls := range []*iostat.Calls{stats.NFS.Read, stats.NFS.Write} {
			if calls != nil && (!finite(calls.CallsPerSecond) || !finite(calls.RTTSeconds) || !finite(calls.ExecuteSeconds) || !finite(calls.QueueSeconds)) {
				t.Errorf("figures %+v", *calls)
			}
		}
	})
}

// FuzzDiskstats does the same for /proc/diskstats.
func FuzzDiskstats(f *testing.F) {
	f.Add("8 1 sda1 1 2 3 4 5 6 7 8 9 10 11\n", "8 1 sda1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n")
	f.Add("8 1 sda1 18446744073709551615 0 0 0 0 0 0 0 0 0 0", "8 1 sda1 0 0 0 0 0 0 0 0 0 0 0")
	f.Add("", "8 1")
	m := newMachine(f)
	f.Fuzz(func(t *testing.T, before, after string) {
		m := machine{t: t, root: m.root}
		m.write("proc/diskstats", before)
		window, err := m.fs().Begin(iostat.Source{Device: "sda1"})
		if err != nil {
			return
		}
		m.write("proc/diskstats", after)
		stats, err := window.End()
		if err != nil {
			return
		}
		for _, d := range []*iostat.Direction{stats.Device.Read, stats.Device.Write} {
			if d != nil && (!finite(d.AwaitSeconds) || !finite(d.RequestBytes) || !finite(d.RequestsPerSecond) || !finite(d.MergedRatio)) {
				t.Errorf("figures %+v", *d)
			}
		}
	})
}
