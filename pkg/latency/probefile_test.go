package latency_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
)

// checkProbe fails the test unless the probe file is as it should be, and returns its status.
func checkProbe(t *testing.T, directory string) unix.Stat_t {
	t.Helper()
	var dir, st unix.Stat_t
	if err := unix.Stat(directory, &dir); err != nil {
		t.Fatal(err)
	}
	if err := unix.Lstat(filepath.Join(directory, probeName), &st); err != nil {
		t.Fatal(err)
	}
	if st.Mode != unix.S_IFREG|0o600 || st.Uid != dir.Uid || st.Gid != dir.Gid || st.Nlink != 1 {
		t.Errorf("mode %o, owner %d:%d, %d links", st.Mode, st.Uid, st.Gid, st.Nlink)
	}
	if st.Size != 1<<20 || st.Blocks*512 < st.Size {
		t.Errorf("%d bytes, %d allocated", st.Size, st.Blocks*512)
	}
	return st
}

func TestProbeFileIsUsedAgain(t *testing.T) {
	directory := t.TempDir()
	result, r := run(t, spec(directory))
	measured(t, result, r)
	first := checkProbe(t, directory)
	result, r = run(t, spec(directory))
	measured(t, result, r)
	if second := checkProbe(t, directory); second.Ino != first.Ino || second.Mtim != first.Mtim {
		t.Error("the second run made a new file")
	}
}

// TestDamagedProbeFile does damage between two runs. The second says corrupt, the third measures again.
func TestDamagedProbeFile(t *testing.T) {
	for name, damage := range map[string]func(f *os.File) error{
		"empty":    func(f *os.File) error { return f.Truncate(0) },
		"shorter":  func(f *os.File) error { return f.Truncate(512 << 10) },
		"longer":   func(f *os.File) error { return f.Truncate(2 << 20) },
		"odd size": func(f *os.File) error { return f.Truncate(10) },
		"sparse": func(f *os.File) error {
			if err := f.Truncate(0); err != nil {
				return err
			}
			return f.Truncate(1 << 20)
		},
		"hole at the end": func(f *os.File) error {
			return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 512<<10, 512<<10)
		},
		"unwritten": func(f *os.File) error {
			return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_ZERO_RANGE|unix.FALLOC_FL_KEEP_SIZE, 0, 1<<20)
		},
		"zeros": func(f *os.File) error { _, err := f.WriteAt(make([]byte, 1<<20), 0); return err },
	} {
		t.Run(name, func(t *testing.T) {
			directory := t.TempDir()
			var p latency.Prober
			result, r := runWith(t, &p, spec(directory))
			measured(t, result, r)

			f, err := os.OpenFile(filepath.Join(directory, probeName), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := damage(f); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}

			result, _ = runWith(t, &p, spec(directory))
			if result.ReadFailure != reason.Corrupt || result.Error == "" || result.Commit.Count == 0 {
				t.Errorf("after the damage: %+v", result)
			}
			result, r = runWith(t, &p, spec(directory))
			measured(t, result, r)
			checkProbe(t, directory)
			onlyProbe(t, directory)
		})
	}
}

// TestDamagedBlocks does damage that only reading finds.
func TestDamagedBlocks(t *testing.T) {
	for name, damage := range map[string]func(file []byte){
		"flipped":   func(file []byte) { each(file, func(b []byte) { b[3000] ^= 4 }) },
		"exchanged": func(file []byte) { each(file[4096:], func(b []byte) { copy(b, file[:4096]) }) },
	} {
		t.Run(name, func(t *testing.T) {
			directory := t.TempDir()
			path := filepath.Join(directory, probeName)
			var p latency.Prober
			result, r := runWith(t, &p, spec(directory))
			measured(t, result, r)

			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			damage(file)
			if err := os.WriteFile(path, file, 0o600); err != nil {
				t.Fatal(err)
			}
			command(t, "sync", path)

			result, r = runWith(t, &p, spec(directory))
			reasons := r.reasons(latency.Read)
			if len(reasons) == 0 || reasons[len(reasons)-1] != reason.Corrupt || result.Error == "" {
				t.Errorf("after the damage: %q, %+v", reasons, result)
			}
			result, r = runWith(t, &p, spec(directory))
			measured(t, result, r)
		})
	}
}

func each(file []byte, change func(block []byte)) {
	for ; len(file) > 0; file = file[4096:] {
		change(file[:4096])
	}
}

// TestForeignProbeFile puts something else in the probe file's place. It is replaced, and nothing outside is touched.
func TestForeignProbeFile(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	for name, plant := range map[string]func(path string) error{
		"symlink":          func(path string) error { return os.Symlink(victim, path) },
		"dangling symlink": func(path string) error { return os.Symlink(victim+".not", path) },
		"fifo":             func(path string) error { return unix.Mkfifo(path, 0o600) },
		"hard link":        func(path string) error { return os.Link(victim, path) },
		"other owner": func(path string) error {
			if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
				return err
			}
			return os.Chown(path, 1, 1)
		},
		"other mode": func(path string) error { return os.WriteFile(path, make([]byte, 1<<20), 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(victim, []byte("precious"), 0o644); err != nil {
				t.Fatal(err)
			}
			directory := t.TempDir()
			if err := plant(filepath.Join(directory, probeName)); err != nil {
				t.Fatal(err)
			}
			result, r := run(t, spec(directory))
			measured(t, result, r)
			checkProbe(t, directory)
			onlyProbe(t, directory)
			files(t, filepath.Dir(victim), "victim")
			if text, err := os.ReadFile(victim); err != nil || string(text) != "precious" {
				t.Errorf("the file outside became %q, %v", text, err)
			}
			if info, err := os.Stat(victim); err != nil || info.Mode() != 0o644 {
				t.Errorf("the file outside became %v, %v", info, err)
			}
		})
	}
}

func TestDirectoryInTheProbeFilesPlace(t *testing.T) {
	directory := t.TempDir()
	if err := os.Mkdir(filepath.Join(directory, probeName), 0o755); err != nil {
		t.Fatal(err)
	}
	result, _ := run(t, spec(directory))
	if result.ReadFailure == "" || result.Error == "" || result.Commit.Count == 0 {
		t.Errorf("got %+v", result)
	}
	onlyProbe(t, directory)
}

// TestOtherSizes changes what is asked for: that is no damage.
func TestOtherSizes(t *testing.T) {
	directory := t.TempDir()
	var p latency.Prober
	for _, sizes := range [][2]int64{{4096, 1 << 20}, {8192, 1 << 20}, {4096, 64 << 10}, {128 << 10, 1 << 20}, {4096, 10_000}, {4096, 1 << 20}} {
		s := spec(directory)
		s.RequestSize, s.WorkingSet = sizes[0], sizes[1]
		result, r := runWith(t, &p, s)
		measured(t, result, r)
		info, err := os.Stat(filepath.Join(directory, probeName))
		if err != nil || info.Size() != sizes[1]/sizes[0]*sizes[0] {
			t.Errorf("request size %d, working set %d: file of %d bytes, %v", sizes[0], sizes[1], info.Size(), err)
		}
	}
}

// TestProbeFileThatCannotBeGivenAway is root on an export that squashes it: the file is used again all the same.
func TestProbeFileThatCannotBeGivenAway(t *testing.T) {
	f := faultfs.Mount(t, faultfs.Options{})
	if err := os.Chown(f.Backing(), 1234, 1234); err != nil {
		t.Fatal(err)
	}
	f.Set(faultfs.Setattr, faultfs.Fault{Errno: unix.EPERM})
	var p latency.Prober
	var before os.FileInfo
	for i := range 3 {
		result, r := runWith(t, &p, spec(f.Path()))
		measured(t, result, r)
		after, err := os.Stat(filepath.Join(f.Backing(), probeName))
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && !os.SameFile(before, after) {
			t.Errorf("run %d made a new file", i)
		}
		before = after
	}
	onlyProbe(t, f.Backing())
}

// TestProbeFileOfAnotherUser is an exporter that ran as somebody else before. Directories decide who may replace a file.
func TestProbeFileOfAnotherUser(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, probeName)
	if err := errors.Join(os.Chmod(filepath.Dir(directory), 0o755), os.Chmod(directory, 0o777),
		os.WriteFile(path, make([]byte, 1<<20), 0o600), os.Chown(path, 1, 1)); err != nil {
		t.Fatal(err)
	}
	var result latency.Result
	r := new(recorder)
	asUser(t, 4321, func() { result = latency.Run(t.Context(), spec(directory), r) })
	measured(t, result, r)
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil || st.Uid != 4321 {
		t.Errorf("the file belongs to %d, %v", st.Uid, err)
	}
}

// asUser runs f on a thread of its own that has given up root, and that ends with it.
func asUser(t *testing.T, uid uintptr, f func()) {
	t.Helper()
	done := make(chan unix.Errno)
	go func() {
		runtime.LockOSThread()
		_, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, uid, uid, uid)
		if errno == 0 {
			f()
		}
		done <- errno
	}()
	if errno := <-done; errno != 0 {
		t.Fatalf("change the user, which needs root: %v", errno)
	}
}
