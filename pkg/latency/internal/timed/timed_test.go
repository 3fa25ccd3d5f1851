package timed_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/latency/internal/timed"
	"github.com/columnstore/columnstore_exporter/pkg/monotonic"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// file makes a file and opens it.
func file(t testing.TB, directory string, content []byte) int {
	t.Helper()
	path := filepath.Join(directory, "file")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}

func TestRead(t *testing.T) {
	fd := file(t, t.TempDir(), []byte("0123456789"))
	for name, test := range map[string]struct {
		fd     int
		offset int64
		want   string
		errno  unix.Errno
	}{
		"all":       {fd, 2, "2345", 0},
		"short":     {fd, 8, "89", 0},
		"end":       {fd, 10, "", 0},
		"no file":   {-1, 0, "", unix.EBADF},
		"no offset": {fd, -1, "", unix.EINVAL},
	} {
		t.Run(name, func(t *testing.T) {
			before := monotonic.Now()
			r := timed.Read{Cancel: new(timed.Cancel), FD: test.fd, Offset: test.offset, Buffer: make([]byte, 4)}
			if !r.Do() {
				t.Error("cancelled")
			}
			if r.Errno != test.errno || r.Errno == 0 && string(r.Buffer[:r.N]) != test.want {
				t.Errorf("read %d bytes %q, %v", r.N, r.Buffer, r.Errno)
			}
			if r.Begin < before || r.End < r.Begin || r.End > monotonic.Now() {
				t.Errorf("from %d to %d, called after %d", r.Begin, r.End, before)
			}
		})
	}
}

// TestDue sends signals to the sleeping thread all the time, as the runtime may.
func TestDue(t *testing.T) {
	thread := make(chan int)
	done := make(chan timed.Read)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		thread <- unix.Gettid()
		r := timed.Read{Cancel: new(timed.Cancel), FD: -1, Due: monotonic.Now() + int64(50*time.Millisecond)}
		r.Do()
		done <- r
	}()
	tid := <-thread
	for {
		select {
		case r := <-done:
			if r.Begin < r.Due {
				t.Errorf("began %v early", time.Duration(r.Due-r.Begin))
			}
			return
		default:
			if err := unix.Tgkill(os.Getpid(), tid, unix.SIGURG); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestCancel ends a sleep of an hour, and one that has not begun.
func TestCancel(t *testing.T) {
	r := timed.Read{Cancel: new(timed.Cancel), FD: -1, Due: monotonic.Now() + int64(time.Hour)}
	done := make(chan bool)
	go func() { done <- r.Do() }()
	r.Cancel.Cancel()
	if <-done || r.Begin != 0 || r.Errno != 0 {
		t.Errorf("a cancelled read was done: %+v", r)
	}
	directory := t.TempDir()
	c := commit(t, directory)
	c.Cancel.Cancel()
	if c.Do() || c.FD != -1 {
		t.Errorf("a cancelled commit was done: %+v", c)
	}
	if entries, err := os.ReadDir(directory); err != nil || len(entries) != 0 {
		t.Errorf("files %v, %v", entries, err)
	}
}

// commit makes a commit in a directory.
func commit(t *testing.T, directory string) *timed.Commit {
	t.Helper()
	dir, err := unix.Open(directory, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(dir) })
	return &timed.Commit{
		Cancel:    new(timed.Cancel),
		Dir:       dir,
		Temporary: []byte("temporary\x00"),
		Final:     []byte("final\x00"),
		Mode:      0o600,
		Data:      bytes.Repeat([]byte{7}, 4096),
	}
}

func TestCommit(t *testing.T) {
	directory := t.TempDir()
	c := commit(t, directory)
	before := monotonic.Now()
	c.Do()
	if c.Step != timed.Done || c.Errno != 0 || c.FD < 0 {
		t.Fatalf("%v: %v", c.Step, c.Errno)
	}
	if err := unix.Close(c.FD); err != nil {
		t.Error(err)
	}
	if c.Begin < before || c.End < c.Begin || c.End > monotonic.Now() {
		t.Errorf("from %d to %d, called after %d", c.Begin, c.End, before)
	}
	if got, err := os.ReadFile(filepath.Join(directory, "final")); err != nil || !bytes.Equal(got, c.Data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := os.Stat(filepath.Join(directory, "temporary")); !os.IsNotExist(err) {
		t.Error(err)
	}
}

func TestCommitDoesNotOverwrite(t *testing.T) {
	directory := t.TempDir()
	if err := os.Symlink("elsewhere", filepath.Join(directory, "temporary")); err != nil {
		t.Fatal(err)
	}
	c := commit(t, directory)
	c.Do()
	if c.Step != timed.Create || c.Errno != unix.EEXIST || c.FD != -1 {
		t.Errorf("%v: %v, descriptor %d", c.Step, c.Errno, c.FD)
	}
}

func TestCommitSaysWhichStepFailed(t *testing.T) {
	for op, test := range map[faultfs.Operation]struct {
		errno syscall.Errno
		want  timed.Step
	}{
		faultfs.Create: {unix.EROFS, timed.Create},
		faultfs.Write:  {unix.ENOSPC, timed.Write},
		faultfs.Fsync:  {unix.EIO, timed.Fsync},
		faultfs.Rename: {unix.EACCES, timed.Rename},
	} {
		t.Run(string(op), func(t *testing.T) {
			f := faultfs.Mount(t, faultfs.Options{DirectIO: true})
			c := commit(t, f.Path())
			f.Set(op, faultfs.Fault{Errno: test.errno})
			c.Do()
			if c.Step != test.want || c.Errno != test.errno || c.Step.String() != string(op) {
				t.Errorf("%v: %v", c.Step, c.Errno)
			}
			if c.FD >= 0 {
				if err := unix.Close(c.FD); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestHangHoldsUpNobody stops the world while a request hangs.
func TestHangHoldsUpNobody(t *testing.T) {
	f := faultfs.Mount(t, faultfs.Options{DirectIO: true})
	fd := file(t, f.Path(), make([]byte, 4096))
	held := f.Hang(faultfs.Read)
	done := make(chan timed.Read)
	go func() {
		r := timed.Read{Cancel: new(timed.Cancel), FD: fd, Buffer: make([]byte, 4096)}
		r.Do()
		done <- r
	}()
	<-held
	for range 3 {
		runtime.GC()
	}
	f.Clear()
	if r := <-done; r.N != 4096 || r.Errno != 0 {
		t.Errorf("read %d bytes, %v", r.N, r.Errno)
	}
}

func TestNothingAllocates(t *testing.T) {
	r := timed.Read{Cancel: new(timed.Cancel), FD: file(t, t.TempDir(), make([]byte, 4096)), Buffer: make([]byte, 4096)}
	if n := testing.AllocsPerRun(100, func() { r.Do() }); n != 0 {
		t.Errorf("a read allocates %v times", n)
	}
	c := commit(t, t.TempDir())
	if n := testing.AllocsPerRun(100, func() {
		c.Do()
		unix.Close(c.FD)
	}); n != 0 {
		t.Errorf("a commit allocates %v times", n)
	}
}

// TestNothingOfTheRuntimeIsTimed compares with a plain read between two looks at the same clock, within one run.
func TestNothingOfTheRuntimeIsTimed(t *testing.T) {
	fd := file(t, t.TempDir(), make([]byte, 4096))
	r := timed.Read{Cancel: new(timed.Cancel), FD: fd, Buffer: make([]byte, 4096)}
	var ours, plain []int64
	for range 5000 {
		r.Do()
		ours = append(ours, r.End-r.Begin)
		begin := monotonic.Now()
		if _, err := unix.Pread(fd, r.Buffer, 0); err != nil {
			t.Fatal(err)
		}
		plain = append(plain, monotonic.Now()-begin)
	}
	slices.Sort(ours)
	slices.Sort(plain)
	if ours[2500] > plain[2500]*3/2 {
		t.Errorf("the median is %d ns, that of a plain read %d ns", ours[2500], plain[2500])
	}
}

// BenchmarkRead is a read from the page cache with all that is around it.
func BenchmarkRead(b *testing.B) {
	fd := file(b, b.TempDir(), make([]byte, 4096))
	r := timed.Read{Cancel: new(timed.Cancel), FD: fd, Buffer: make([]byte, 4096)}
	b.ReportAllocs()
	for b.Loop() {
		r.Do()
	}
}
