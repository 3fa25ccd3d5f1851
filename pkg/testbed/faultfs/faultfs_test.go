package faultfs_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var content = bytes.Repeat([]byte("0123456789abcdef"), 256)

// file makes a file of 4 KiB and returns its path on the mount.
func file(t *testing.T, f *faultfs.FS) string {
	t.Helper()
	path := filepath.Join(f.Path(), "file")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// readDirect reads the file as the probes do.
func readDirect(path string) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	buffer := make([]byte, len(content))
	n, err := unix.Pread(fd, buffer, 0)
	return buffer[:max(n, 0)], err
}

func TestPassesThrough(t *testing.T) {
	for name, options := range map[string]faultfs.Options{
		"default":   {},
		"direct io": {DirectIO: true},
		"cached":    {CacheAttributes: true},
	} {
		t.Run(name, func(t *testing.T) {
			f := faultfs.Mount(t, options)
			path := file(t, f)
			if got, err := readDirect(path); err != nil || !bytes.Equal(got, content) {
				t.Errorf("read %d bytes, %v", len(got), err)
			}
			if f.Count(faultfs.Read) != 1 || f.Count(faultfs.Create) != 1 || f.Count(faultfs.Write) == 0 {
				t.Errorf("%d reads, %d creates, %d writes", f.Count(faultfs.Read), f.Count(faultfs.Create), f.Count(faultfs.Write))
			}
			got, err := os.ReadFile(filepath.Join(f.Backing(), "file"))
			if err != nil || !bytes.Equal(got, content) {
				t.Errorf("the backing file has %d bytes, %v", len(got), err)
			}
		})
	}
}

func TestErrno(t *testing.T) {
	for op, do := range map[faultfs.Operation]func(path string) error{
		faultfs.Lookup:  func(path string) error { _, err := os.Stat(path); return err },
		faultfs.Getattr: func(path string) error { _, err := os.Stat(filepath.Dir(path)); return err },
		faultfs.Setattr: func(path string) error { return os.Chmod(path, 0o600) },
		faultfs.Open:    func(path string) error { _, err := readDirect(path); return err },
		faultfs.Read:    func(path string) error { _, err := readDirect(path); return err },
		faultfs.Create:  func(path string) error { return os.WriteFile(path+".new", nil, 0o600) },
		faultfs.Write:   func(path string) error { return os.WriteFile(path, content, 0o600) },
		faultfs.Rename:  func(path string) error { return os.Rename(path, path+".new") },
		faultfs.Unlink:  os.Remove,
		faultfs.Readdir: func(path string) error { _, err := os.ReadDir(filepath.Dir(path)); return err },
		faultfs.Statfs:  func(path string) error { return unix.Statfs(path, new(unix.Statfs_t)) },
		faultfs.Fsync: func(path string) error {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			return f.Sync()
		},
	} {
		t.Run(string(op), func(t *testing.T) {
			f := faultfs.Mount(t, faultfs.Options{})
			path := file(t, f)
			f.Set(op, faultfs.Fault{Errno: unix.EDQUOT})
			if err := do(path); !errors.Is(err, unix.EDQUOT) {
				t.Errorf("with the fault: %v", err)
			}
			f.Clear()
			if err := do(path); err != nil {
				t.Errorf("without the fault: %v", err)
			}
		})
	}
}

func TestReadsThatLie(t *testing.T) {
	f := faultfs.Mount(t, faultfs.Options{})
	path := file(t, f)

	f.Set(faultfs.Read, faultfs.Fault{Short: true})
	if got, err := readDirect(path); err != nil || !bytes.Equal(got, content[:len(content)/2]) {
		t.Errorf("short: %d bytes, %v", len(got), err)
	}
	f.Set(faultfs.Read, faultfs.Fault{Flip: true})
	got, err := readDirect(path)
	if err != nil || len(got) != len(content) || bytes.Equal(got, content) {
		t.Errorf("flip: %d bytes, %v", len(got), err)
	}
}

func TestDelayIsExact(t *testing.T) {
	f := faultfs.Mount(t, faultfs.Options{})
	path := file(t, f)
	const delay = 3 * time.Millisecond
	f.Set(faultfs.Read, faultfs.Fault{Delay: delay})
	fastest := time.Hour
	for range 50 {
		begin := time.Now()
		if _, err := readDirect(path); err != nil {
			t.Fatal(err)
		}
		fastest = min(fastest, time.Since(begin))
	}
	// The bound is for the fastest, since others use the machine too.
	if fastest < delay || fastest > delay+2*time.Millisecond {
		t.Errorf("the fastest read took %v", fastest)
	}
}

func TestHangGoesOnWhenItIsOver(t *testing.T) {
	f := faultfs.Mount(t, faultfs.Options{})
	path := file(t, f)
	held := f.Hang(faultfs.Read)
	done := make(chan error)
	go func() {
		_, err := readDirect(path)
		done <- err
	}()
	<-held
	if f.Hanging() != 1 {
		t.Errorf("%d operations hang", f.Hanging())
	}
	f.Clear()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if f.Hanging() != 0 {
		t.Errorf("%d operations hang", f.Hanging())
	}
}

func TestCloseEndsWhatHangs(t *testing.T) {
	f, err := faultfs.New(t.TempDir(), t.TempDir(), faultfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := file(t, f)
	held := f.Hang(faultfs.Read)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if got, err := readDirect(path); err == nil && !bytes.Equal(got, content) {
			t.Errorf("read %d bytes", len(got))
		}
	}()
	<-held
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	<-done
}

func TestCloseDoesNotWaitForOpenFiles(t *testing.T) {
	f, err := faultfs.New(t.TempDir(), t.TempDir(), faultfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(file(t, f), unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := unix.Pread(fd, make([]byte, 1), 0); err == nil {
		t.Error("the file can still be read")
	}
}

func TestRefuseDirect(t *testing.T) {
	f := faultfs.Mount(t, faultfs.Options{RefuseDirect: true})
	path := file(t, f)
	if _, err := readDirect(path); !errors.Is(err, unix.EINVAL) {
		t.Errorf("got %v", err)
	}
	if _, err := os.ReadFile(path); err != nil {
		t.Error(err)
	}
}
