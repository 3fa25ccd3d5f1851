//go:build linux

package throughput

import (
	"os"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// usage is what the kernel has counted for a thread.
type usage struct {
	cpu time.Duration
	// moved is read_bytes and write_bytes of /proc/thread-self/io, counts whether they could be read.
	moved  uint64
	counts bool
}

// threadUsage returns the figures of the calling thread.
func threadUsage() (u usage) {
	var r unix.Rusage
	// RUSAGE_THREAD exists since Linux 2.6.26, so the call cannot go wrong.
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &r)
	u.cpu = time.Duration(r.Utime.Nano() + r.Stime.Nano())
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return u
	}
	thread, err := fs.Thread(os.Getpid(), unix.Gettid())
	if err != nil {
		return u
	}
	io, err := thread.IO()
	u.moved, u.counts = io.ReadBytes+io.WriteBytes, err == nil
	return u
}

// accounts tells whether the file system counts the bytes that threads move. FUSE does not.
func accounts(fd int) bool {
	var st unix.Statfs_t
	err := again(func() error { return unix.Fstatfs(fd, &st) })
	return err == nil && st.Type != unix.FUSE_SUPER_MAGIC
}
