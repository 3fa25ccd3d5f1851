package throughput_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// forever is the duration of tests that are to end otherwise.
const forever = time.Hour

// small is a spec whose files are soon written: eight blocks for each of two threads.
func small(directory string, tests ...throughput.Test) throughput.Spec {
	return throughput.Spec{
		Directory: directory, Host: "test", Tests: tests, Duration: 50 * time.Millisecond,
		Threads: 2, BlockSize: 64 << 10, MaxBytes: 1 << 20, CRC: true,
	}
}

// silent is an Observer that does not listen.
type silent struct{}

func (silent) Operation(string, int64)                        {}
func (silent) Progress(throughput.Test, time.Duration, int64) {}

// onProgress is an Observer that does something when a test is first heard of.
type onProgress struct {
	silent
	do map[throughput.Test]func()
}

func (o onProgress) Progress(test throughput.Test, _ time.Duration, _ int64) {
	if do := o.do[test]; do != nil {
		delete(o.do, test)
		do()
	}
}

// when returns an Observer that does something at the first word of a test.
func when(test throughput.Test, do func()) throughput.Observer {
	return onProgress{do: map[throughput.Test]func(){test: do}}
}

// runOne runs a spec of one test, which must succeed.
func runOne(t testing.TB, spec throughput.Spec) throughput.Result {
	t.Helper()
	outcome := throughput.Run(t.Context(), spec, silent{})
	if len(outcome.Tests) != 1 || outcome.Skip != "" || outcome.Error != "" || outcome.Tests[0].Error != "" {
		t.Fatalf("Run(%+v) = %+v", spec, outcome)
	}
	return outcome.Tests[0]
}

// files returns the files of ours in a directory.
func files(t testing.TB, directory string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(directory, ".columnstore_exporter-*"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// wantClean reports what is in a directory but should not be.
func wantClean(t testing.TB, directory string) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "lost+found" {
			t.Errorf("%s is left in the directory", e.Name())
		}
	}
}

// space returns the size of a file system and what of it is available, as df has them.
func space(t testing.TB, directory string) (total, available int64) {
	t.Helper()
	var st unix.Statfs_t
	if err := unix.Statfs(directory, &st); err != nil {
		t.Fatal(err)
	}
	return int64(st.Blocks-st.Bfree+st.Bavail) * st.Frsize, int64(st.Bavail) * st.Frsize
}

func counters(t testing.TB) iostat.FS {
	t.Helper()
	fs, err := iostat.New("/proc", "/sys")
	if err != nil {
		t.Fatal(err)
	}
	return fs
}

// sourceOf finds the block device under a directory.
func sourceOf(t testing.TB, directory string) iostat.Source {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(directory, &st); err != nil {
		t.Fatal(err)
	}
	link, err := os.Readlink(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev)))
	if err != nil {
		t.Fatal(err)
	}
	return iostat.Source{Device: filepath.Base(link)}
}

// mentions tells whether a text has all the words.
func mentions(text string, words ...string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
