//go:build linux

package throughput

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/scratch"
)

// file is the file of one thread. It grows once, and is written round and round after that.
type file struct {
	dir    *scratch.Dir
	flight *flight
	name   string
	fd     int
	direct bool
	// id is what the stamps of its blocks carry.
	id uint64
	// limit is how many blocks it may have, blocks how many it has, and writes how many of those were written again.
	limit, blocks, writes int64
}

// create makes the file of a thread and tries it out, since an open that accepts O_DIRECT promises nothing.
func (r *run) create(fl *flight, first *block) (*file, error) {
	f := &file{dir: r.dir, flight: fl, name: r.dir.TempName("throughput"), direct: true, id: rand.Uint64(), limit: r.room.blocks}
	defer r.own.end()
	if err := f.open(); err != nil {
		return nil, err
	}
	r.own.end()
	err := f.try(first)
	if f.direct && errors.Is(err, unix.EINVAL) {
		if err = f.giveUpDirect(); err == nil {
			err = f.try(first)
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.remove())
	}
	return f, nil
}

func (f *file) open() (err error) {
	f.fd, err = f.dir.Create(f.name, unix.O_DIRECT)
	if !errors.Is(err, unix.EINVAL) {
		return err
	}
	f.direct = false
	// The kernel may have made the file before it refused the flag.
	if err := f.dir.Remove(f.name); err != nil {
		return err
	}
	f.fd, err = f.dir.Create(f.name, 0)
	return err
}

func (f *file) giveUpDirect() error {
	f.direct = false
	if _, err := unix.FcntlInt(uintptr(f.fd), unix.F_SETFL, 0); err != nil {
		return fmt.Errorf("take O_DIRECT from %s: %w", f.path(), err)
	}
	return nil
}

// try writes a block, reads it back, and leaves the file empty.
func (f *file) try(b *block) error {
	if err := f.write(b); err != nil {
		return err
	}
	if err := f.read(b); err != nil {
		return err
	}
	f.flight.begin("truncate")
	defer f.flight.end()
	if err := again(func() error { return unix.Ftruncate(f.fd, 0) }); err != nil {
		return fmt.Errorf("truncate %s: %w", f.path(), err)
	}
	return nil
}

func (f *file) path() string { return f.dir.Path(f.name) }

// passOf returns how often a block that exists has been written before its last write.
func (f *file) passOf(number int64) int64 {
	return (f.writes - number + f.blocks - 1) / f.blocks
}

// write writes a block. Buffered, it is on storage after that too.
func (f *file) write(b *block) error {
	for p, at := b.data, b.offset(); len(p) > 0; {
		n, err := f.once("write", func() (int, error) { return unix.Pwrite(f.fd, p, at) })
		if err == nil && n == 0 {
			err = io.ErrShortWrite
		}
		if err != nil {
			return fmt.Errorf("write %s at %d: %w", f.path(), at, err)
		}
		p, at = p[n:], at+int64(n)
	}
	if f.direct {
		return nil
	}
	return f.sync()
}

// sync brings what was written to stable storage.
func (f *file) sync() error {
	if _, err := f.once("fdatasync", func() (int, error) { return 0, unix.Fdatasync(f.fd) }); err != nil {
		return fmt.Errorf("fdatasync %s: %w", f.path(), err)
	}
	return nil
}

// read reads a block, buffered after it was dropped from the page cache.
func (f *file) read(b *block) error {
	if !f.direct {
		if err := unix.Fadvise(f.fd, b.offset(), int64(len(b.data)), unix.FADV_DONTNEED); err != nil {
			return fmt.Errorf("drop %s at %d from the page cache: %w", f.path(), b.offset(), err)
		}
	}
	for p, at := b.data, b.offset(); len(p) > 0; {
		n, err := f.once("read", func() (int, error) { return unix.Pread(f.fd, p, at) })
		if err == nil && n == 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return fmt.Errorf("read %s at %d: %w", f.path(), at, err)
		}
		p, at = p[n:], at+int64(n)
	}
	return nil
}

// once makes one call on storage, counted as in flight meanwhile. A signal that interrupts it is no failure.
func (f *file) once(operation string, call func() (int, error)) (n int, err error) {
	f.flight.begin(operation)
	defer f.flight.end()
	err = again(func() error { n, err = call(); return err })
	return n, err
}

// remove closes the file and takes it away.
func (f *file) remove() error {
	return errors.Join(f.dir.CloseFile(f.fd, f.name), f.dir.Remove(f.name))
}

// again repeats a call that a signal interrupted.
func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
