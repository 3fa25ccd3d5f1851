package scratch_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/scratch"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

const host = "node1.example"

func open(t *testing.T, path string) *scratch.Dir {
	t.Helper()
	d, err := scratch.Open(nil, path, host, topology.Mount{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// create makes an empty file the way the probes do.
func create(t *testing.T, d *scratch.Dir, name string) {
	t.Helper()
	fd, err := d.Create(name, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.CloseFile(fd, name); err != nil {
		t.Fatal(err)
	}
}

func stat(t *testing.T, path string) unix.Stat_t {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		t.Fatal(err)
	}
	return st
}

func names(t *testing.T, directory string) []string {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	found := []string{}
	for _, e := range entries {
		found = append(found, e.Name())
	}
	return found
}

func TestOpenRefuses(t *testing.T) {
	base := t.TempDir()
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	loop := filepath.Join(base, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		path string
		want error
	}{
		"absent": {filepath.Join(base, "bulkRollback"), fs.ErrNotExist},
		"file":   {file, unix.ENOTDIR},
		"loop":   {loop, unix.ELOOP},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scratch.Open(nil, test.path, host, topology.Mount{})
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.path) {
				t.Errorf("got %v, want %v with the path", err, test.want)
			}
			if _, err := os.Stat(filepath.Join(base, "bulkRollback")); !errors.Is(err, fs.ErrNotExist) {
				t.Error("an absent directory was made")
			}
		})
	}
}

// mountOf finds the mount of path in mountinfo by the longest mount point that leads to it.
func mountOf(t *testing.T, path string) topology.Mount {
	t.Helper()
	mounts, err := procfs.GetMounts()
	if err != nil {
		t.Fatal(err)
	}
	var mount topology.Mount
	longest := -1
	for _, m := range mounts {
		under := m.MountPoint == "/" || path == m.MountPoint || strings.HasPrefix(path, m.MountPoint+"/")
		if under && len(m.MountPoint) >= longest {
			longest = len(m.MountPoint)
			mount = topology.Mount{ID: uint64(m.MountID), Device: m.MajorMinorVer}
		}
	}
	return mount
}

func TestOpenChecksMount(t *testing.T) {
	directory := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(directory, link); err != nil {
		t.Fatal(err)
	}
	here := mountOf(t, directory)
	for name, test := range map[string]struct {
		path string
		want topology.Mount
		err  error
	}{
		"the same":          {directory, here, nil},
		"through a symlink": {link, here, nil},
		"another mount":     {directory, mountOf(t, "/dev/shm"), scratch.ErrMount},
		"id used again":     {directory, topology.Mount{ID: here.ID, Device: "0:0"}, scratch.ErrMount},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := scratch.Open(nil, test.path, host, test.want)
			if !errors.Is(err, test.err) {
				t.Fatalf("got %v, want %v", err, test.err)
			}
			if err == nil {
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestFilesAreOwnedLikeTheDirectory(t *testing.T) {
	directory := t.TempDir()
	if err := os.Chown(directory, 1234, 2345); err != nil {
		t.Fatalf("this test gives a directory away, which needs root: %v", err)
	}
	for _, umask := range []int{0, 0o022, 0o777} {
		t.Run(strconv.FormatInt(int64(umask), 8), func(t *testing.T) {
			defer unix.Umask(unix.Umask(umask))
			d := open(t, directory)
			name := d.TempName("test")
			create(t, d, name)
			st := stat(t, filepath.Join(directory, name))
			if got := st.Mode & 0o7777; got != 0o600 {
				t.Errorf("mode %o", got)
			}
			if st.Uid != 1234 || st.Gid != 2345 {
				t.Errorf("owner %d:%d", st.Uid, st.Gid)
			}
		})
	}
}

// asUser runs f on a thread of its own that has given up root, and that ends with it.
func asUser(t *testing.T, uid uintptr, f func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		_, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, uid, uid, uid)
		if errno != 0 {
			done <- errno
			return
		}
		f()
		done <- nil
	}()
	if err := <-done; err != nil {
		t.Fatalf("change the user, which needs root: %v", err)
	}
}

func TestFilesOfOneWhoMayNotGiveThemAway(t *testing.T) {
	directory := t.TempDir()
	if err := errors.Join(os.Chmod(directory, 0o777), os.Chmod(filepath.Dir(directory), 0o755)); err != nil {
		t.Fatal(err)
	}
	var name string
	asUser(t, 4321, func() {
		d, err := scratch.Open(nil, directory, host, topology.Mount{})
		if err != nil {
			t.Error(err)
			return
		}
		name = d.TempName("test")
		fd, err := d.Create(name, 0)
		if err != nil {
			t.Error(err)
			return
		}
		if err := errors.Join(d.CloseFile(fd, name), d.Close()); err != nil {
			t.Error(err)
		}
	})
	if st := stat(t, filepath.Join(directory, name)); st.Uid != 4321 || st.Mode&0o7777 != 0o600 {
		t.Errorf("owner %d, mode %o", st.Uid, st.Mode)
	}
}

// TestOpenFollowsTrustedSymlinks has to run as root, who may give symlinks away.
func TestOpenFollowsTrustedSymlinks(t *testing.T) {
	const engine, somebody = 4321, 4322
	base := t.TempDir()
	directory := filepath.Join(base, "fast", "bulk")
	if err := errors.Join(os.MkdirAll(directory, 0o755), os.Chown(directory, engine, engine)); err != nil {
		t.Fatal(err)
	}
	link := func(name, target string, owner int) string {
		path := filepath.Join(base, name)
		if err := errors.Join(os.Symlink(target, path), os.Lchown(path, owner, owner)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, test := range map[string]struct {
		path string
		want error
	}{
		"of root":                 {link("root", directory, 0), nil},
		"of the owner":            {link("owner", "fast/bulk", engine), nil},
		"of somebody":             {link("somebody", "fast/bulk", somebody), unix.EPERM},
		"on the way":              {filepath.Join(link("way", "fast", somebody), "bulk"), unix.EPERM},
		"behind one of root":      {link("first", link("second", directory, somebody), 0), unix.EPERM},
		"with dots":               {link("dots", "./fast/../fast//bulk/.", engine), nil},
		"of root, path not clean": {base + "//root/.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := scratch.Open(nil, test.path, host, topology.Mount{})
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if err == nil {
				err = d.Close()
			}
			if test.want == nil && err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSymlinksAreNeverFollowed(t *testing.T) {
	directory, outside := t.TempDir(), filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(outside, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	d := open(t, directory)
	for _, target := range []string{outside, outside + ".dangling"} {
		name := d.TempName("test")
		if err := os.Symlink(target, filepath.Join(directory, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Create(name, 0); !errors.Is(err, unix.EEXIST) {
			t.Errorf("create over a symlink: %v", err)
		}
		if _, _, err := d.OpenFile(name, unix.O_RDWR|unix.O_TRUNC); !errors.Is(err, scratch.ErrNotRegular) {
			t.Errorf("open a symlink: %v", err)
		}
		if err := d.Remove(name); err != nil {
			t.Error(err)
		}
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "precious" {
		t.Errorf("the file outside became %q, %v", text, err)
	}
	if left := append(names(t, directory), names(t, filepath.Dir(outside))...); !cmp.Equal(left, []string{"victim"}) {
		t.Errorf("files after the test: %q", left)
	}
}

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	directory := t.TempDir()
	d := open(t, directory)
	name := d.ProbeName()
	path := filepath.Join(directory, name)
	for kind, plant := range map[string]func() error{
		"fifo":      func() error { return unix.Mkfifo(path, 0o600) },
		"directory": func() error { return os.Mkdir(path, 0o700) },
		"device":    func() error { return unix.Mknod(path, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))) },
	} {
		t.Run(kind, func(t *testing.T) {
			if err := plant(); err != nil {
				t.Fatal(err)
			}
			defer os.Remove(path)
			if _, _, err := d.OpenFile(name, unix.O_RDONLY); !errors.Is(err, scratch.ErrNotRegular) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestHostsMakeNames(t *testing.T) {
	for host, want := range map[string]string{
		"pm1":                    ".columnstore_exporter-pm1.probe",
		"pm1.example.com":        ".columnstore_exporter-pm1.example.com.probe",
		"":                       ".columnstore_exporter-localhost.probe",
		"../../etc/passwd\x00":   ".columnstore_exporter-.._.._etc_passwd_.probe",
		"knöten 1":               ".columnstore_exporter-kn_ten_1.probe",
		strings.Repeat("a", 300): ".columnstore_exporter-" + strings.Repeat("a", 64) + ".probe",
	} {
		d, err := scratch.Open(nil, t.TempDir(), host, topology.Mount{})
		if err != nil {
			t.Fatal(err)
		}
		if got := d.ProbeName(); got != want {
			t.Errorf("host %q: got %q, want %q", host, got, want)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestSpace(t *testing.T) {
	total, available, err := open(t, t.TempDir()).Space()
	if err != nil || available <= 0 || total < available {
		t.Errorf("total %d, available %d, error %v", total, available, err)
	}
}

func TestOperationsAreAnnounced(t *testing.T) {
	var operations []string
	announce := func(operation string) { operations = append(operations, operation) }
	d, err := scratch.Open(announce, t.TempDir(), host, topology.Mount{})
	if err != nil {
		t.Fatal(err)
	}
	create(t, d, d.ProbeName())
	if _, err := d.RemoveLeftovers(time.Time{}); err != nil {
		t.Error(err)
	}
	if err := errors.Join(d.Remove(d.ProbeName()), d.Close()); err != nil {
		t.Error(err)
	}
	want := []string{"open", "stat", "create", "stat", "close", "readdir", "unlink", "close"}
	if diff := cmp.Diff(want, operations); diff != "" {
		t.Error(diff)
	}
}

// ended returns the id of a process that has run and is gone.
func ended(t *testing.T) int {
	t.Helper()
	process, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := process.Wait(); err != nil {
		t.Fatal(err)
	}
	return process.Pid
}

func TestLeftovers(t *testing.T) {
	now := strconv.FormatInt(time.Now().UnixNano(), 10)
	dead, own := strconv.Itoa(ended(t)), strconv.Itoa(os.Getpid())
	leftovers := []string{
		".columnstore_exporter-node1.example." + dead + "." + now + ".commit",
		".columnstore_exporter-node1.example." + own + ".1.commit",   // of an earlier process with our id
		".columnstore_exporter-node1.example.1.1000.throughput",      // of one that had the id of what is now init
		".columnstore_exporter-node1.example.2147483647.7.probefile", // an id beyond all that exist
	}
	others := []string{
		".columnstore_exporter-node1.example.probe",
		".columnstore_exporter-node1.example." + own + "." + now + ".commit", // in use
		".columnstore_exporter-node1.example.1." + now + ".commit",           // of a process that lives
		".columnstore_exporter-node1." + dead + ".1.commit",                  // of another host
		".columnstore_exporter-node1.example.2." + dead + ".1.commit",        // of host node1.example.2
		".columnstore_exporter-node1.example." + dead + ".x.commit",
		".columnstore_exporter-node1.example.-5.1.commit",
		".columnstore_exporter-node1.example." + dead + ".1.commit.bak",
		"3004", "3004_data", "000.dir", "bulkRollback",
	}
	directory := t.TempDir()
	for _, name := range append(leftovers, others...) {
		if err := os.WriteFile(filepath.Join(directory, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(directory, ".columnstore_exporter-node1.example."+dead+".2.commit")); err != nil {
		t.Fatal(err)
	}

	tidy, err := open(t, directory).RemoveLeftovers(time.Time{})
	if err != nil || tidy {
		t.Errorf("error %v, tidy %v beside a file of a process that lives", err, tidy)
	}
	want := map[string]bool{}
	for _, name := range others {
		want[name] = true
	}
	got := map[string]bool{}
	for _, name := range names(t, directory) {
		got[name] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files after the test (-want +got):\n%s", diff)
	}
}

func TestTempNamesOfThisProcessAreNoLeftovers(t *testing.T) {
	d := open(t, t.TempDir())
	create(t, d, d.TempName("commit"))
	if left, others, err := d.Leftovers(time.Time{}); err != nil || len(left) != 0 || others != 0 {
		t.Errorf("leftovers %q, %d of others, error %v", left, others, err)
	}
	if tidy, err := d.RemoveLeftovers(time.Time{}); err != nil || !tidy {
		t.Errorf("tidy %v, error %v", tidy, err)
	}
	if left, _, err := d.Leftovers(time.Now()); err != nil || len(left) != 1 {
		t.Errorf("of those made until now %q, error %v", left, err)
	}
}
