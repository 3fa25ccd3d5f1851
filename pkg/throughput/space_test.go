package throughput_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// neighbour is another program on the file system: it writes, syncs and removes small files until it is stopped, and keeps
// an eye on the space.
type neighbour struct {
	stop   chan struct{}
	group  sync.WaitGroup
	lowest int64
	writes int
	err    error
}

func newNeighbour(t *testing.T, directory string) *neighbour {
	t.Helper()
	n := &neighbour{stop: make(chan struct{})}
	_, n.lowest = space(t, directory)
	n.group.Go(func() {
		for n.err == nil {
			select {
			case <-n.stop:
				return
			default:
				n.write(t, filepath.Join(directory, "neighbour"))
			}
		}
	})
	return n
}

func (n *neighbour) write(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err == nil {
		_, err = f.Write(make([]byte, 16<<10))
		err = errors.Join(err, f.Sync(), f.Close())
	}
	_, available := space(t, filepath.Dir(path))
	n.lowest = min(n.lowest, available)
	n.err = errors.Join(err, os.Remove(path))
	n.writes++
}

func (n *neighbour) end() {
	close(n.stop)
	n.group.Wait()
}

// A write test that could go on for an hour ends where its share of a small file system does, and others do not notice.
func TestMinFree(t *testing.T) {
	for fstype, size := range map[string]int64{"ext4": 64 << 20, "xfs": 300 << 20} {
		t.Run(fstype, func(t *testing.T) {
			directory := testbed.Loop(t, fstype, size)
			total, before := space(t, directory)
			floor := total / 10
			other := newNeighbour(t, directory)
			spec := small(directory, throughput.Write)
			spec.Duration, spec.MaxBytes, spec.MinFree = forever, 1<<40, throughput.FreeSpace{Percent: 10}
			r := runOne(t, spec)
			other.end()
			if r.EndedEarly != throughput.EndedMinFree || r.WrittenBytes < (before-floor)*9/10 {
				t.Errorf("Run() = %+v, want it to end at the floor of %d bytes, from %d", r, floor, before)
			}
			if other.err != nil || other.writes == 0 || other.lowest < floor {
				t.Errorf("a neighbour wrote %d files: %v; it saw %d bytes free, want %d at least", other.writes, other.err, other.lowest, floor)
			}
			wantClean(t, directory)
		})
	}
}

// When others take the space, the files go at once, whatever test runs.
func TestOthersFillTheDisk(t *testing.T) {
	directory := testbed.Loop(t, "ext4", 64<<20)
	_, available := space(t, directory)
	spec := small(directory, throughput.Write, throughput.Overwrite, throughput.ReadTest)
	spec.Duration, spec.MinFree = forever, throughput.FreeSpace{Bytes: available / 2}
	outcome := throughput.Run(t.Context(), spec, when(throughput.Overwrite, func() { take(t, directory, available*2/3) }))
	if len(outcome.Tests) != 2 || outcome.Tests[1].EndedEarly != throughput.EndedMinFree || outcome.Tests[1].WrittenBytes == 0 {
		t.Errorf("Run() = %+v, want overwrite to be the last, ended by the floor", outcome)
	}
	if left := files(t, directory); len(left) != 0 {
		t.Errorf("%v are left", left)
	}
}

// take allocates so many bytes.
func take(t *testing.T, directory string, bytes int64) {
	t.Helper()
	f, err := os.Create(filepath.Join(directory, "other"))
	if err != nil {
		t.Error(err)
		return
	}
	if err := errors.Join(unix.Fallocate(int(f.Fd()), 0, 0, bytes), f.Close()); err != nil {
		t.Error(err)
	}
}

func TestMaxBytes(t *testing.T) {
	spec := small(t.TempDir(), throughput.Write, throughput.Overwrite)
	// Long enough to be heard of.
	spec.Duration = time.Second
	var sizes []int64
	outcome := throughput.Run(t.Context(), spec, when(throughput.Overwrite, func() {
		for _, path := range files(t, spec.Directory) {
			if info, err := os.Stat(path); err == nil {
				sizes = append(sizes, info.Size())
			}
		}
	}))
	if len(outcome.Tests) != 2 || outcome.Tests[0].EndedEarly != throughput.EndedMaxBytes || outcome.Tests[0].WrittenBytes != spec.MaxBytes {
		t.Errorf("Run() = %+v, want write to end at %d bytes", outcome, spec.MaxBytes)
	}
	if r := outcome.Tests[1]; r.EndedEarly != "" || r.WrittenBytes <= spec.MaxBytes {
		t.Errorf("overwrite = %+v, want it to go round and round", r)
	}
	if len(sizes) != spec.Threads {
		t.Errorf("%d files, want one a thread", len(sizes))
	}
	for _, size := range sizes {
		if size != spec.MaxBytes/2 {
			t.Errorf("files of %v bytes, want half of %d each", sizes, spec.MaxBytes)
		}
	}
}

func TestNoRoom(t *testing.T) {
	spec := small(t.TempDir(), throughput.Write)
	spec.MinFree = throughput.FreeSpace{Percent: 100}
	outcome := throughput.Run(t.Context(), spec, silent{})
	if outcome.Skip != "disk_space" || len(outcome.Tests) != 0 || outcome.Failure != "" || !mentions(outcome.Error, spec.Directory) {
		t.Errorf("Run() = %+v, want it skipped for the space in %s", outcome, spec.Directory)
	}
	wantClean(t, spec.Directory)
}
