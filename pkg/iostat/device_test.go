package iostat_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/columnstore/columnstore_exporter/pkg/iostat"
)

// closely compares figures that were computed in another order of operations.
func closely() cmp.Option { return cmpopts.EquateApprox(1e-9, 0) }

// The counters after ten seconds are those that make iostat print what the article on vioperf shows of fio (920 w/s,
// 471040 wkB/s, 1024 sectors a request, 1.40 in the queue, 1.53 ms, 93.80 %) with reads and merges beside it.
func TestDevice(t *testing.T) {
	cases := map[string]struct {
		before, after string
		want          iostat.Device
	}{
		"writes and reads": {
			before: "sdb 100 10 800 50 1000 20 4096000 1500 0 3000 4000 0 0 0 0 0 0",
			after:  "sdb 400 110 3200 1250 10200 20 13516800 15576 1 12380 18000 5 0 5 5 5 5",
			want: iostat.Device{
				Read: &iostat.Direction{
					RequestsPerSecond: 30, BytesPerSecond: 122880, RequestBytes: 4096, AwaitSeconds: 0.004, MergedRatio: 0.25,
				},
				Write: &iostat.Direction{
					RequestsPerSecond: 920, BytesPerSecond: 471040 << 10, RequestBytes: 1024 * 512, AwaitSeconds: 0.00153,
				},
				QueueLength: 1.4, Utilization: 0.938,
			},
		},
		"no request completed": {
			before: "sdb 100 10 800 50 1000 20 4096000 1500 0 3000 4000",
			after:  "sdb 100 10 800 50 1000 20 4096000 1500 1 8000 9000",
			want:   iostat.Device{QueueLength: 0.5, Utilization: 0.5},
		},
		"milliseconds wrap at 32 bits": {
			before: "sdb 0 0 0 4294967290 7 0 0 0 0 4294966296 4294967295",
			after:  "sdb 2 0 16 4 7 0 0 0 0 4000 9999",
			want: iostat.Device{
				Read:        &iostat.Direction{RequestsPerSecond: 0.2, BytesPerSecond: 819.2, RequestBytes: 4096, AwaitSeconds: 0.005},
				QueueLength: 1, Utilization: 0.5,
			},
		},
		"more busy milliseconds than there were": {
			before: "sdb 0 0 0 0 0 0 0 0 0 0 0",
			after:  "sdb 0 0 0 0 0 0 0 0 0 10004 0",
			want:   iostat.Device{Utilization: 1},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMachine(t)
				m.diskstats("sda 1 1 1 1 1 1 1 1 1 1 1", c.before)
				window := m.begin(iostat.Source{Device: "sdb"})
				time.Sleep(10 * time.Second)
				m.diskstats("sda 9 9 9 9 9 9 9 9 9 9 9", c.after)
				got, err := window.End()
				if diff := cmp.Diff(iostat.Stats{Seconds: 10, Device: &c.want}, got, closely()); diff != "" || err != nil {
					t.Errorf("End() (-want +got):\n%s, %v", diff, err)
				}
			})
		})
	}
}

func TestDeviceGoesAway(t *testing.T) {
	cases := map[string]struct {
		after []string
		want  error
	}{
		"vanished":         {after: []string{"sda 1 1 1 1 1 1 1 1 1 1 1"}, want: iostat.ErrAbsent},
		"came back":        {after: []string{"sdb 1 1 1 1 1 1 1 1 1 1 1"}, want: iostat.ErrReset},
		"reads backwards":  {after: []string{"sdb 99 99 99 99 100 100 100 100 0 100 100"}, want: iostat.ErrReset},
		"writes backwards": {after: []string{"sdb 100 100 100 100 100 100 99 100 0 100 100"}, want: iostat.ErrReset},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.diskstats("sdb 100 100 100 100 100 100 100 100 0 100 100")
			window := m.begin(iostat.Source{Device: "sdb"})
			m.diskstats(c.after...)
			if got, err := window.End(); !errors.Is(err, c.want) {
				t.Errorf("End() = %v, %v, want %v", got, err, c.want)
			}
		})
	}
}

func TestDeviceAbsent(t *testing.T) {
	if _, err := newMachine(t).fs().Begin(iostat.Source{Device: "sdb"}); !errors.Is(err, iostat.ErrAbsent) {
		t.Errorf("Begin() = %v, want %v", err, iostat.ErrAbsent)
	}
}

// Each layer has counters and a queue of its own, but a partition the queue of its disk.
func TestMaximumRequest(t *testing.T) {
	m := newMachine(t)
	m.write("sys/devices/pci0/block/sda/queue/max_sectors_kb", "1280\n")
	m.write("sys/devices/pci0/block/sda/sda1/partition", "1\n")
	m.write("sys/devices/virtual/block/dm-3/queue/max_sectors_kb", "512\n")
	m.write("sys/devices/virtual/block/loop2/queue/max_sectors_kb", "none\n")
	m.write("sys/devices/pci0/block/cciss!c0d0/queue/max_sectors_kb", "4096\n")
	m.link("../../devices/pci0/block/sda", "sys/class/block/sda")
	m.link("../../devices/pci0/block/sda/sda1", "sys/class/block/sda1")
	m.link("../../devices/virtual/block/dm-3", "sys/class/block/dm-3")
	m.link("../../devices/virtual/block/loop2", "sys/class/block/loop2")
	m.link("../../devices/pci0/block/cciss!c0d0", "sys/class/block/cciss!c0d0")
	for device, want := range map[string]int64{
		"sda": 1280 << 10, "sda1": 1280 << 10, "dm-3": 512 << 10, "loop2": 0, "md0": 0, "cciss/c0d0": 4096 << 10,
	} {
		m.diskstats(device + " 1 1 1 1 1 1 1 1 1 1 1")
		got, err := m.begin(iostat.Source{Device: device}).End()
		if err != nil || got.Device.MaximumRequestBytes != want {
			t.Errorf("maximum request of %s = %+v, %v, want %d", device, got.Device, err, want)
		}
	}
}

// Storage without counters has a window like any other.
func TestNoCounters(t *testing.T) {
	got, err := newMachine(t).begin(iostat.Source{}).End()
	if err != nil || got.Device != nil || got.NFS != nil {
		t.Errorf("End() = %+v, %v, want neither device nor NFS", got, err)
	}
}
