//go:build linux

package topology_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// faulty is a file system whose lookups end as the test wants.
type faulty struct {
	fs.Inode
	lookup func() syscall.Errno
}

func (f *faulty) Lookup(context.Context, string, *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return nil, f.lookup()
}

func mountFaulty(t *testing.T, lookup func() syscall.Errno) string {
	t.Helper()
	dir := t.TempDir()
	server, err := fs.Mount(dir, &faulty{lookup: lookup}, &fs.Options{MountOptions: fuse.MountOptions{DirectMount: true, FsName: "faulty"}})
	if err != nil {
		t.Fatalf("mount FUSE: %v (this test needs root and /dev/fuse)", err)
	}
	t.Cleanup(func() { _ = server.Unmount() })
	return dir
}

func TestInspectStorageErrors(t *testing.T) {
	var answer atomic.Uint32
	dir := mountFaulty(t, func() syscall.Errno { return syscall.Errno(answer.Load()) })
	tests := []struct {
		errno  syscall.Errno
		reason reason.Reason
	}{
		{syscall.EIO, reason.EIO},
		{syscall.ESTALE, reason.ESTALE},
		{syscall.ENOTCONN, reason.ENODEV},
		{syscall.EACCES, reason.EACCES},
		{syscall.EPERM, reason.EPERM},
	}
	for _, tt := range tests {
		t.Run(tt.errno.Error(), func(t *testing.T) {
			answer.Store(uint32(tt.errno))
			got := inspect(topology.KindDBRoot, filepath.Join(dir, "data1"))
			if got.State != topology.StateUnknown || got.Reason != string(tt.reason) {
				t.Errorf("%+v, want the reason %s", got, tt.reason)
			}
		})
	}
}

// A look that hangs has said beforehand which operation it is in, and since when.
func TestInspectHangIsNamed(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	dir := mountFaulty(t, func() syscall.Errno {
		asked <- struct{}{}
		<-answer
		return syscall.EIO
	})
	var current atomic.Value
	done := make(chan topology.Facts)
	go func() {
		target := topology.Target{Kind: topology.KindDBRoot, Directory: filepath.Join(dir, "data1")}
		done <- topology.Inspect(target, func(name string, _ int64) { current.Store(name) })
	}()
	<-asked
	if name := current.Load(); name != "open" {
		t.Errorf("hangs in %q, want open", name)
	}
	mounts, err := topology.ReadMounts()
	if err != nil {
		t.Fatal(err)
	}
	if row, _ := mounts.Lexical(filepath.Join(dir, "data1")); row.Mountpoint != dir {
		t.Errorf("by its text the path is on %+v", row)
	}
	close(answer)
	if got := <-done; got.Reason != "eio" {
		t.Errorf("%+v after the hang", got)
	}
	if name := current.Load(); name != "" {
		t.Errorf("still in %q after the look", name)
	}
}
