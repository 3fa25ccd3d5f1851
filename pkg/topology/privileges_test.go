//go:build linux

package topology_test

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

const nobody = 65534

// asNobody runs f without root's power over files, which the kernel takes away with the file system user id. Both belong
// to the thread, so f must stay on it.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := unix.SetfsuidRetUid(nobody)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.SetfsuidRetUid(before) //nolint:errcheck // it was ours
	if now, _ := unix.SetfsuidRetUid(-1); now != nobody {
		t.Fatalf("file system user %d instead of %d: this test needs root", now, nobody)
	}
	f()
}
