//go:build linux

package testbed

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Loop mounts a new file system of the given type, "ext4" or "xfs", on a loop device over a sparse file of size bytes, and
// returns its mount point. mkfs.xfs demands 300 MiB. The test must run as root.
func Loop(t testing.TB, fstype string, size int64) string {
	t.Helper()
	needRoot(t)
	return loopIn(t, t.TempDir(), fstype, size)
}

// LoopInMemory is like Loop, with the file in memory: the block layer without a device's own time.
func LoopInMemory(t testing.TB, fstype string, size int64) string {
	t.Helper()
	return loopIn(t, Memory(t), fstype, size)
}

// Memory mounts a new tmpfs, and returns its mount point.
func Memory(t testing.TB) string {
	t.Helper()
	needRoot(t)
	mountpoint := t.TempDir()
	if err := unix.Mount("tmpfs", mountpoint, "tmpfs", 0, ""); err != nil {
		t.Fatalf("mount tmpfs on %s: %v", mountpoint, err)
	}
	t.Cleanup(func() { unmount(t, mountpoint) })
	return mountpoint
}

func loopIn(t testing.TB, dir, fstype string, size int64) string {
	t.Helper()
	image, mountpoint := filepath.Join(dir, "image"), filepath.Join(dir, "mnt")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, size); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(mountpoint, 0o750); err != nil {
		t.Fatal(err)
	}
	Must(t, command(t, "mkfs."+fstype, "-q", image))
	Must(t, command(t, "mount", "-t", fstype, "-o", "loop", image, mountpoint))
	t.Cleanup(func() { unmount(t, mountpoint) })
	return mountpoint
}

// Detach takes the file system away from its mount point, also from under those who use it.
func Detach(t testing.TB, mountpoint string) {
	t.Helper()
	if err := unix.Unmount(mountpoint, unix.MNT_DETACH); err != nil {
		t.Fatalf("unmount %s: %v", mountpoint, err)
	}
}

// Reattach mounts a file system of Loop again after Detach.
func Reattach(t testing.TB, mountpoint string) {
	t.Helper()
	Must(t, command(t, "mount", "-o", "loop", filepath.Join(filepath.Dir(mountpoint), "image"), mountpoint))
}

// unmount detaches the mount point even where a process still has a file open in it: a test may fail with one running.
func unmount(t testing.TB, mountpoint string) {
	t.Helper()
	if unix.Unmount(mountpoint, 0) == nil {
		return
	}
	if err := unix.Unmount(mountpoint, unix.MNT_DETACH); err != nil {
		t.Errorf("unmount %s: %v", mountpoint, err)
	}
}

// Freeze stops a file system of Loop: whoever writes to it, or wants to, hangs in state D, and SIGKILL does not end it. It
// is thawed when the test ends. A process started after Freeze is reaped before that: do not wait for one that hangs.
func Freeze(t testing.TB, mountpoint string) {
	t.Helper()
	Must(t, command(t, "fsfreeze", "--freeze", mountpoint))
	t.Cleanup(func() { _ = command(t, "fsfreeze", "--unfreeze", mountpoint).Run() }) // Thaw may have come before
}

// Thaw undoes Freeze.
func Thaw(t testing.TB, mountpoint string) {
	t.Helper()
	Must(t, command(t, "fsfreeze", "--unfreeze", mountpoint))
}
