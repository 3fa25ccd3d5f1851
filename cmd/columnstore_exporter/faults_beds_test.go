//go:build mariadb

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
)

// bed is the storage of the DBroot that is to suffer.
type bed struct {
	kind string // for people
	dir  string
	fs   *faultfs.FS // nil where it is not FUSE
	// user runs the exporter; 0 is root.
	user int
	// forbidden are directories in which nothing may ever be written.
	forbidden []string
}

// files is where the directory can be looked at past the faults.
func (b *bed) files() string {
	if b.fs != nil {
		return b.fs.Backing()
	}
	return b.dir
}

// fuse is a file system whose operations can be made to go wrong, with a bulkRollback, which is listed again and again.
func fuse(t *testing.T) *bed {
	fs := faultfs.Mount(t, faultfs.Options{DirectIO: true})
	makeDirectory(t, filepath.Join(fs.Backing(), "bulkRollback"))
	return &bed{kind: "FUSE", dir: fs.Path(), fs: fs}
}

// disk is a directory of the machine's own.
func disk(t *testing.T) *bed {
	dir := filepath.Join(t.TempDir(), "data1")
	makeDirectory(t, dir)
	return &bed{kind: "disk", dir: dir}
}

// someUser has no privileges.
const someUser = 20_000

// diskOfUser is a directory of one who is not root, and who runs the exporter.
func diskOfUser(t *testing.T) *bed {
	b := disk(t)
	b.kind, b.user = "disk, not as root", someUser
	searchable(t, b.dir)
	return b
}

// ext4 and xfs are file systems on loop devices.
func ext4(t *testing.T) *bed { return &bed{kind: "ext4", dir: testbed.Loop(t, "ext4", 64<<20)} }

func xfs(t *testing.T) *bed { return &bed{kind: "XFS", dir: testbed.Loop(t, "xfs", 320<<20)} }

// tmpfs is a file system in memory that is soon full.
func tmpfs(t *testing.T) *bed {
	dir := t.TempDir()
	mountOn(t, "tmpfs", dir, "size=8m")
	return &bed{kind: "tmpfs", dir: dir}
}

// overlay is a file system laid over another.
func overlay(t *testing.T) *bed {
	layers, dir := t.TempDir(), t.TempDir()
	mountOn(t, "tmpfs", layers, "size=8m") // an overlay cannot lie on an overlay
	for _, name := range []string{"lower", "upper", "work"} {
		makeDirectory(t, filepath.Join(layers, name))
	}
	mountOn(t, "overlay", dir, "lowerdir="+layers+"/lower,upperdir="+layers+"/upper,workdir="+layers+"/work")
	return &bed{kind: "overlayfs", dir: dir}
}

// mountOn mounts a file system until the test ends.
func mountOn(t *testing.T, fstype, dir, options string) {
	t.Helper()
	if err := unix.Mount(fstype, dir, fstype, 0, options); err != nil {
		t.Fatalf("mount %s on %s: %v", fstype, dir, err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }) // some are gone already
}

func makeDirectory(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

// searchable lets everybody come by the directories of the test.
func searchable(t *testing.T, path string) {
	t.Helper()
	for dir := filepath.Dir(path); strings.HasPrefix(dir, filepath.Clean(os.TempDir())+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// device is the major:minor under the directory, which is the name of its worker.
func (b *bed) device(t *testing.T) string {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(b.dir, &st); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(int(unix.Major(st.Dev))) + ":" + strconv.Itoa(int(unix.Minor(st.Dev)))
}

// shell runs a program that must succeed.
func (s *stage) shell(name string, args ...string) {
	s.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		s.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// poll tries until it succeeds.
func (s *stage) poll(what string, try func() bool) {
	s.Helper()
	for deadline := time.Now().Add(patience); !try(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("gave up waiting for: %s", what)
		}
	}
}

// asUser is a command that the exporter's user runs.
func (b *bed) asUser(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(b.user), Gid: uint32(b.user)}}
	return cmd
}

// give lets the exporter's user have the directories.
func (s *stage) give(directories ...string) {
	s.Helper()
	for _, path := range directories {
		searchable(s.T, path)
		s.must(os.Chown(path, s.user, s.user))
	}
}
