//go:build linux

package debian

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

const release = "bookworm"

// packages are those that a root has besides the minimum: an init, and rpm for packages of that kind.
func packages() []string { return []string{"rpm", "systemd", "systemd-sysv"} }

// root returns a directory with Debian's minimum and packages, which nobody must change. The first call on a machine makes
// it, from Debian's archive.
func root(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cache = filepath.Join(cache, "columnstore_exporter", "debian")
	made := filepath.Join(cache, strings.Join(append([]string{release}, packages()...), "+"))
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	defer lock(t, filepath.Join(cache, "lock")).Close()
	if _, err := os.Stat(made); err == nil {
		return made
	}
	fresh, err := os.MkdirTemp(cache, "new.")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("making a %s in %s, once", release, cache)
	// In a mount namespace of its own: what debootstrap mounts is gone when it has ended, however that was.
	testbed.Must(t, exec.CommandContext(t.Context(), "unshare", "--mount", "debootstrap", "--variant=minbase",
		"--include="+strings.Join(packages(), ","), release, fresh))
	if err := os.Chmod(fresh, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(fresh, made); err != nil {
		t.Fatal(err)
	}
	return made
}

// lock waits until no other test on this computer makes a root, and keeps others waiting until the file is closed.
func lock(t testing.TB, path string) *os.File {
	t.Helper()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX); err != nil {
		t.Fatalf("lock %s: %v", path, err)
	}
	return file
}
