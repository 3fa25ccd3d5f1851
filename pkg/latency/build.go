//go:build linux

package latency

import (
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/latency/internal/block"
	"github.com/columnstore/columnstore_exporter/pkg/scratch"
)

const (
	// statUnit is the unit of st_blocks in bytes, whatever the block size of the file system.
	statUnit = 512
	// writeSize is about how much is written at once: storage is not to be troubled with small writes.
	writeSize = 256 << 10
	// reserve is the share of a file system that stays free: ColumnStore stops importing when it is 98 % full
	// (MaxFileSystemDiskUsagePct).
	reserve = 0.02
)

// likeness is what a probe file of ours looks like in one directory. It is learnt when one is made: root may be
// squashed there, modes may be fixed, allocation may not be told.
type likeness struct {
	unix.Stat_t
	dirUID int // the owner of the directory then
}

// blocks is the least st_blocks that the file should have. What is allocated beyond its size may go at any time.
func (l *likeness) blocks() int64 {
	if l == nil {
		return 0
	}
	return min(l.Blocks, (l.Size+statUnit-1)/statUnit)
}

// looksOurs tells whether a file may be the one that an exporter made. One that somebody else owns, may write or has
// linked elsewhere is replaced, never changed.
func (p *Prober) looksOurs(st *unix.Stat_t, dir *scratch.Dir) bool {
	uid, _ := dir.Owner()
	want := &unix.Stat_t{Uid: uint32(uid), Mode: unix.S_IFREG | scratch.Mode, Nlink: 1}
	if p.made != nil && p.made.dirUID == uid {
		want = &p.made.Stat_t
	}
	// Without root, files cannot be given to the owner of the directory.
	self := os.Geteuid() != 0 && int(st.Uid) == os.Geteuid()
	return (st.Uid == want.Uid || self) && st.Mode == want.Mode && st.Nlink == want.Nlink
}

// build makes the probe file under another name, and then puts it in its place.
func (r *run) build() (err error) {
	if err := r.checkSpace(); err != nil {
		return err
	}
	name := r.dir.TempName("probefile")
	fd, err := r.dir.Create(name, 0)
	if err != nil {
		return err
	}
	err = errors.Join(r.writeBlocks(fd, name), r.dir.CloseFile(fd, name))
	if err == nil {
		err = r.dir.Rename(name, r.dir.ProbeName())
	}
	if err != nil {
		return errors.Join(err, r.prober.discard(r.dir, name))
	}
	return nil
}

// checkSpace keeps off a file system that the file would fill to where imports stop.
func (r *run) checkSpace() error {
	total, available, err := r.dir.Space()
	if err != nil {
		return err
	}
	if total > 0 && float64(available-r.spec.slots()*r.spec.RequestSize) < reserve*float64(total) {
		return fmt.Errorf("make a probe file of %d bytes in %s, where %d of %d are available and %.0f %% stay free: %w",
			r.spec.WorkingSet, r.spec.Directory, available, total, 100*reserve, unix.ENOSPC)
	}
	return nil
}

// writeBlocks fills the file, brings it to storage, and leaves nothing of it in the page cache.
func (r *run) writeBlocks(fd int, name string) error {
	var seed [32]byte
	header := block.Header{Size: uint64(r.spec.RequestSize), Count: uint64(r.spec.slots())}
	// Both calls are documented never to return an error.
	_, _ = cryptorand.Read(seed[:])
	_, _ = cryptorand.Read(header.File[:])
	random := rand.NewChaCha8(seed)

	chunk := make([]byte, min(max(1, writeSize/r.spec.RequestSize), r.spec.slots())*r.spec.RequestSize)
	for header.Number < header.Count && r.ctx.Err() == nil {
		part := chunk[:min(uint64(len(chunk)), (header.Count-header.Number)*header.Size)]
		at := int64(header.Number * header.Size)
		for b := part; len(b) > 0; b = b[header.Size:] {
			if err := block.Fill(b[:header.Size], header, random); err != nil {
				return err
			}
			header.Number++
		}
		r.dir.Announce("write")
		if err := writeAll(fd, part, at); err != nil {
			return fmt.Errorf("write %s: %w", r.dir.Path(name), err)
		}
	}
	if err := r.ctx.Err(); err != nil {
		return fmt.Errorf("write %s: %w", r.dir.Path(name), err)
	}
	return r.settle(fd, name)
}

// settle fsyncs the file and learns what it looks like now that it is complete.
func (r *run) settle(fd int, name string) error {
	r.dir.Announce("fsync")
	if err := ignoringEINTR(func() error { return unix.Fsync(fd) }); err != nil {
		return fmt.Errorf("fsync %s: %w", r.dir.Path(name), err)
	}
	r.dir.Announce("fadvise")
	_ = unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED)
	r.dir.Announce("stat")
	made := new(likeness)
	if err := ignoringEINTR(func() error { return unix.Fstat(fd, &made.Stat_t) }); err != nil {
		return fmt.Errorf("stat %s: %w", r.dir.Path(name), err)
	}
	made.dirUID, _ = r.dir.Owner()
	r.prober.made = made
	return nil
}

func writeAll(fd int, b []byte, at int64) error {
	for len(b) > 0 {
		n, err := unix.Pwrite(fd, b, at)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err
		case n == 0:
			return io.ErrShortWrite
		}
		b, at = b[n:], at+int64(n)
	}
	return nil
}

func ignoringEINTR(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
