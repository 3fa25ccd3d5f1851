//go:build linux

package faultfs

import "testing"

// Mount mounts a file system on an empty directory for the time of a test.
func Mount(t testing.TB, options Options) *FS {
	t.Helper()
	f, err := New(t.TempDir(), t.TempDir(), options)
	if err != nil {
		t.Fatalf("a FUSE file system needs root and /dev/fuse: %v", err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}
