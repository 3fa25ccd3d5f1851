//go:build linux

package topology_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// directory makes a directory below the test's own, which everybody may search.
func directory(t *testing.T, elements ...string) string {
	t.Helper()
	path := filepath.Join(elements...)
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// mount mounts a file system until the test ends.
func mount(t *testing.T, source, target, fstype string, flags uintptr) {
	t.Helper()
	if err := unix.Mount(source, target, fstype, flags, ""); err != nil {
		t.Fatalf("mount %s on %s: %v (this test needs root)", source, target, err)
	}
	t.Cleanup(func() { _ = unix.Unmount(target, unix.MNT_DETACH) }) // gone already in some tests
}

func unmount(t *testing.T, target string) {
	t.Helper()
	if err := unix.Unmount(target, unix.MNT_DETACH); err != nil {
		t.Fatalf("unmount %s: %v", target, err)
	}
}

// loopMount makes a file system of the type in a file and mounts it by a loop device.
func loopMount(t *testing.T, fstype, target string) {
	t.Helper()
	image := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, 320<<20); err != nil { // sparse; XFS wants 300 MiB
		t.Fatal(err)
	}
	run(t, "mkfs."+fstype, "-q", image)
	run(t, "mount", "-o", "loop", image, target)
	t.Cleanup(func() { _ = unix.Unmount(target, unix.MNT_DETACH) })
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s (apt-get install mount e2fsprogs xfsprogs)", name, err, out)
	}
}

func symlink(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}
