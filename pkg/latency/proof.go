//go:build linux

package latency

import (
	"bytes"
	"strconv"

	"golang.org/x/sys/unix"
)

// proof compares what this thread asked for with what the kernel fetched from storage for it: read_bytes in
// /proc/thread-self/io (proc_pid_io(5)) counts this thread's requests alone, whatever others read meanwhile. Reads that
// a cache, a hole or memory answered do not count there.
//
// FUSE does not account at all: nothing is proven there, and no ratio is given.
type proof struct {
	fd   int // of /proc/thread-self/io, or -1 where nothing can be proven
	text [512]byte

	before, during int64 // read_bytes before the last request, and what it added to them
	asked, fetched int64
}

// newProof is to be called on the thread that reads; dir is a descriptor in the file system that it reads from.
func newProof(dir int) *proof {
	var st unix.Statfs_t
	if unix.Fstatfs(dir, &st) == nil && st.Type == unix.FUSE_SUPER_MAGIC {
		return &proof{fd: -1}
	}
	// Kernels without task I/O accounting, and processes that may not look at themselves, have no such file.
	fd, err := unix.Open("/proc/thread-self/io", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &proof{fd: -1}
	}
	return &proof{fd: fd}
}

// begin and end enclose a request as narrowly as can be: what the kernel pages in for the thread between two of them is
// not theirs.
func (p *proof) begin() { p.before = p.readBytes() }
func (p *proof) end()   { p.during = p.readBytes() - p.before }

// count adds the last request. Those that failed are not to be added, whether they reached the device or not.
func (p *proof) count(size int) {
	p.asked += int64(size)
	p.fetched += p.during
}

// ratio is nil when nothing was proven.
func (p *proof) ratio() *float64 {
	if p.fd < 0 || p.asked == 0 {
		return nil
	}
	ratio := float64(p.fetched) / float64(p.asked)
	return &ratio
}

func (p *proof) close() {
	if p.fd >= 0 {
		// Nothing was written to it, so there is nothing that could be lost.
		_ = unix.Close(p.fd)
	}
}

// readBytes returns the counter without allocating.
func (p *proof) readBytes() int64 {
	if p.fd < 0 {
		return 0
	}
	n, err := unix.Pread(p.fd, p.text[:], 0)
	if err != nil {
		return p.before
	}
	_, rest, _ := bytes.Cut(p.text[:n], []byte("\nread_bytes: "))
	digits, _, _ := bytes.Cut(rest, []byte("\n"))
	// The conversion does not escape, so it does not allocate.
	value, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		return p.before
	}
	return value
}
