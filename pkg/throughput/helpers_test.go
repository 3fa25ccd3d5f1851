package throughput_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// silent is an Observer that does not listen.
type silent struct{}

func (silent) Operation(string, int64)                        {}
func (silent) Progress(throughput.Test, time.Duration, int64) {}

func counters(t testing.TB) iostat.FS {
	t.Helper()
	fs, err := iostat.New("/proc", "/sys")
	if err != nil {
		t.Fatal(err)
	}
	return fs
}

// sourceOf finds the block device under a directory.
func sourceOf(t testing.TB, dir string) iostat.Source {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		t.Fatal(err)
	}
	link, err := os.Readlink(filepath.Join("/sys/dev/block", fmt.Sprintf("%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev))))
	if err != nil {
		t.Fatal(err)
	}
	return iostat.Source{Device: filepath.Base(link)}
}
