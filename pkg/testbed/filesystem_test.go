package testbed_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

func TestLoop(t *testing.T) {
	for fstype, magic := range map[string]int64{"ext4": unix.EXT4_SUPER_MAGIC, "xfs": unix.XFS_SUPER_MAGIC} {
		t.Run(fstype, func(t *testing.T) {
			var fs unix.Statfs_t
			if err := unix.Statfs(testbed.Loop(t, fstype, 512<<20), &fs); err != nil || fs.Type != magic {
				t.Errorf("file system %#x, want %#x, error %v", fs.Type, magic, err)
			}
		})
	}
}

func TestFrozenWriterHangsUntilThaw(t *testing.T) {
	dir := testbed.Loop(t, "xfs", 512<<20)
	testbed.Freeze(t, dir)
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600) }()
	select {
	case err := <-written:
		t.Errorf("a frozen file system was written to, error %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	testbed.Thaw(t, dir)
	if err := <-written; err != nil {
		t.Errorf("after the thaw: %v", err)
	}
}
