package iostat_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/iostat"
)

// Between the recordings of Linux 6.1 lie eight direct writes and four direct reads of 1 MiB, with 5 ms of delay each way.
func TestNFS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t)
		m.mountstats("mountstats-before")
		window := m.begin(iostat.Source{NFS: "/mnt/nfs"})
		time.Sleep(2 * time.Second)
		m.mountstats("mountstats-after")
		got, err := window.End()
		want := iostat.Stats{Seconds: 2, NFS: &iostat.NFS{
			Read:            &iostat.Calls{CallsPerSecond: 2, RTTSeconds: 0.155 / 4, ExecuteSeconds: 0.184 / 4, QueueSeconds: 0.021 / 4},
			Write:           &iostat.Calls{CallsPerSecond: 4, RTTSeconds: 0.651 / 8, ExecuteSeconds: 0.678 / 8, QueueSeconds: 0.016 / 8},
			DirectReadBytes: 4 << 20, DirectWrittenBytes: 8 << 20,
		}}
		if diff := cmp.Diff(want, got, closely()); diff != "" || err != nil {
			t.Errorf("End() (-want +got):\n%s, %v", diff, err)
		}
	})
}

func TestNFSRetransmissions(t *testing.T) {
	m := newMachine(t)
	before := m.read("mountstats-before")
	m.write("proc/7/mountstats", before)
	window := m.begin(iostat.Source{NFS: "/mnt/nfs"})
	m.write("proc/7/mountstats", strings.Replace(before, " READ: 0 0 0 0 0 0 0 0 0", " READ: 3 5 1 400 400 1 2 3 0", 1))
	got, err := window.End()
	if err != nil || got.NFS.Read.Retransmissions != 2 || got.NFS.Write != nil {
		t.Errorf("End() = %+v, %v, want 2 retransmissions and no writes", got.NFS, err)
	}
}

func TestNFSTrouble(t *testing.T) {
	cases := map[string]struct {
		mountpoint string
		after      func(text string) string
		want       error
	}{
		"mounted anew": {
			mountpoint: "/mnt/nfs", want: iostat.ErrReset,
			after: func(text string) string { return strings.ReplaceAll(text, "4194304 8388608", "0 0") },
		},
		"calls backwards": {
			mountpoint: "/mnt/nfs", want: iostat.ErrReset,
			after: func(text string) string {
				return strings.Replace(text, "READ: 4 4 0 752 4194720", "READ: 3 3 0 752 4194720", 1)
			},
		},
		"unmounted": {
			mountpoint: "/mnt/nfs", want: iostat.ErrAbsent,
			after: func(text string) string { return strings.ReplaceAll(text, "/mnt/nfs", "/mnt/other") },
		},
		"a kernel of another time": {
			mountpoint: "/mnt/nfs", want: iostat.ErrMountStats,
			after: func(text string) string { return strings.ReplaceAll(text, "xprt:\ttcp", "xprt:\tquic") },
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.mountstats("mountstats-after")
			window := m.begin(iostat.Source{NFS: c.mountpoint})
			m.write("proc/7/mountstats", c.after(m.read("mountstats-after")))
			if got, err := window.End(); !errors.Is(err, c.want) {
				t.Errorf("End() = %v, %v, want %v", got, err, c.want)
			}
		})
	}
}

// The kernel writes blanks in paths as numbers. Of mounts on top of one another the last one is in use.
func TestNFSMountPoint(t *testing.T) {
	m := newMachine(t)
	before, after := m.read("mountstats-before"), m.read("mountstats-after")
	m.write("proc/7/mountstats", strings.ReplaceAll(before+after, "/mnt/nfs", `/mnt/a\040b`))
	window := m.begin(iostat.Source{NFS: "/mnt/a b"})
	got, err := window.End()
	if err != nil || got.NFS == nil {
		t.Fatalf("End() = %+v, %v", got, err)
	}
	m.write("proc/7/mountstats", strings.ReplaceAll(after+before, "/mnt/nfs", `/mnt/a\040b`))
	if got, err := window.End(); !errors.Is(err, iostat.ErrReset) {
		t.Errorf("End() with the younger mount on top = %+v, %v, want %v", got, err, iostat.ErrReset)
	}
}

// What cannot be understood of NFS keeps nobody from a block device.
func TestMountStatsTroubleIsIsolated(t *testing.T) {
	m := newMachine(t)
	m.write("proc/7/mountstats", "device x:/ mounted on /mnt with fstype nfs4 statvers=9\n\topts:\n")
	m.diskstats("sda 1 1 1 1 1 1 1 1 1 1 1")
	if got, err := m.begin(iostat.Source{Device: "sda"}).End(); err != nil || got.Device == nil {
		t.Errorf("End() = %+v, %v, want the device's figures", got, err)
	}
}
