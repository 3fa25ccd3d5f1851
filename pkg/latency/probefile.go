//go:build linux

package latency

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/latency/internal/block"
	"github.com/columnstore/columnstore_exporter/pkg/latency/internal/timed"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/scratch"
)

// fallbackAlign is the alignment of direct I/O where the kernel does not say (STATX_DIOALIGN, Linux 6.1): it satisfies
// every device.
const fallbackAlign = 4096

var (
	// errReplace says that there is no probe file yet, or one that is no longer as it is wanted: make a new one.
	errReplace = errors.New("no probe file as it is wanted")
	// errRefused says that the file system refuses O_DIRECT.
	errRefused = errors.New("direct I/O refused")
)

// probeFile is the probe file, open for one run.
type probeFile struct {
	dir    *scratch.Dir
	direct bool
	// request is the read that is done again and again. Its buffer is of a mapping: aligned to pages, and never moved nor
	// looked at by the collector.
	request timed.Read
	// want is what the blocks have to say of themselves. The file id is learnt from the first good block.
	want block.Header
}

// openProbe opens the directory's probe file as spec wants it, and makes it where there is none. The error of a file
// that is damaged wraps reason.ErrCorrupt; it has been removed then, so the next run makes a new one.
func (r *run) openProbe() (*probeFile, error) {
	f, err := r.openMode()
	if !errors.Is(err, errReplace) {
		return f, err
	}
	if err := r.build(); err != nil {
		return nil, err
	}
	return r.openMode()
}

// openMode opens the probe file for direct I/O, and where that is refused for buffered I/O.
func (r *run) openMode() (*probeFile, error) {
	if !r.spec.Buffered {
		f, err := r.openAs(unix.O_DIRECT)
		if !errors.Is(err, errRefused) {
			return f, err
		}
	}
	return r.openAs(0)
}

func (r *run) openAs(direct int) (*probeFile, error) {
	name := r.dir.ProbeName()
	fd, st, err := r.dir.OpenFile(name, unix.O_RDONLY|direct)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, scratch.ErrNotRegular):
		return nil, fmt.Errorf("%w: %w", errReplace, err)
	case errors.Is(err, unix.EACCES) && !r.prober.looksOurs(&st, r.dir):
		return nil, fmt.Errorf("%w: %w", errReplace, err) // the exporter ran as somebody else before
	case errors.Is(err, unix.EINVAL) && direct != 0:
		return nil, errRefused
	case err != nil:
		return nil, err
	}
	f := &probeFile{dir: r.dir, direct: direct != 0, request: timed.Read{FD: fd, Cancel: &r.cancel}, want: block.Header{
		Size:  uint64(r.spec.RequestSize),
		Count: uint64(r.spec.slots()),
	}}
	if err := f.prepare(r.prober, &st); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// prepare does all that has to be done before the first request.
func (f *probeFile) prepare(p *Prober, st *unix.Stat_t) error {
	if !p.looksOurs(st, f.dir) {
		return fmt.Errorf("%w: %s has another owner, mode or number of links", errReplace, f.path())
	}
	if err := f.checkAlignment(); err != nil {
		return err
	}
	var err error
	f.request.Buffer, err = unix.Mmap(-1, 0, int(f.want.Size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS|unix.MAP_POPULATE)
	if err != nil {
		return fmt.Errorf("map a buffer of %d bytes: %w", f.want.Size, err)
	}
	if !f.direct {
		// Without read-ahead, a request fetches what it asks for. Where the advice is unknown, the ratio shows what happens.
		f.advise(unix.FADV_RANDOM)
		f.dropCache()
	}
	return f.checkFirst(p, st)
}

// checkAlignment compares the request size with what the kernel says that direct I/O on this file needs.
func (f *probeFile) checkAlignment() error {
	if !f.direct {
		return nil
	}
	align := uint64(fallbackAlign)
	var stx unix.Statx_t
	f.dir.Announce("stat")
	if err := unix.Statx(f.request.FD, "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN, &stx); err == nil && stx.Mask&unix.STATX_DIOALIGN != 0 {
		align = uint64(stx.Dio_offset_align)
	}
	if align == 0 {
		return errRefused
	}
	if f.want.Size%align != 0 {
		return fmt.Errorf("read %s: the request size %d is no multiple of %d, which direct I/O needs here: %w", f.path(), f.want.Size, align, unix.EINVAL)
	}
	return nil
}

// checkFirst makes one test read, which decides whether direct I/O holds. Storage that cannot be read is left to the
// requests of the run, which then fail one by one.
func (f *probeFile) checkFirst(p *Prober, st *unix.Stat_t) error {
	f.dir.Announce("read")
	switch done := f.request.Do(); {
	case done && f.request.Errno == 0:
		return f.checkHeader(p, st)
	case done && f.request.Errno == unix.EINVAL && f.direct:
		return errRefused
	}
	return nil
}

// checkHeader tells a file that was damaged from one that was made for other sizes.
func (f *probeFile) checkHeader(p *Prober, st *unix.Stat_t) error {
	h, err := block.Parse(f.request.Buffer[:f.request.N])
	switch {
	case err != nil:
		return f.corrupt(err)
	case uint64(st.Size) != h.Size*h.Count:
		return f.corrupt(fmt.Errorf("%d bytes instead of %d blocks of %d", st.Size, h.Count, h.Size))
	case st.Blocks < p.made.blocks():
		return f.corrupt(fmt.Errorf("only %d of %d bytes are allocated", st.Blocks*statUnit, st.Size))
	case h.Size != f.want.Size || h.Count != f.want.Count:
		return fmt.Errorf("%w: %s holds %d blocks of %d", errReplace, f.path(), h.Count, h.Size)
	}
	return nil
}

// corrupt removes the file, so that the next run begins with a good one, and says what is wrong.
func (f *probeFile) corrupt(err error) error {
	return errors.Join(fmt.Errorf("read %s: %w: %w", f.path(), reason.ErrCorrupt, err), f.dir.Remove(f.dir.ProbeName()))
}

// outcome is the error of the request that was done last.
func (f *probeFile) outcome() error {
	switch {
	case f.request.Errno != 0:
		return f.request.Errno
	case f.request.N < len(f.request.Buffer):
		return io.ErrUnexpectedEOF
	}
	return nil
}

// verify tells whether the buffer holds the block that was asked for.
func (f *probeFile) verify(slot int64) error {
	h, err := block.Verify(f.request.Buffer)
	if err != nil {
		return fmt.Errorf("%w: %w", reason.ErrCorrupt, err)
	}
	if f.want.File == [16]byte{} {
		f.want.File = h.File
	}
	f.want.Number = uint64(slot)
	if h != f.want {
		return fmt.Errorf("%w: block %d of file %x instead of block %d of file %x", reason.ErrCorrupt, h.Number, h.File, slot, f.want.File)
	}
	return nil
}

// dropCache drops all of the file from the page cache: file systems with large folios keep one of which only a part
// is named.
func (f *probeFile) dropCache() { f.advise(unix.FADV_DONTNEED) }

func (f *probeFile) advise(advice int) {
	f.dir.Announce("fadvise")
	// Advice need not be taken; whether it was is seen in the ratio.
	_ = unix.Fadvise(f.request.FD, 0, 0, advice)
}

func (f *probeFile) path() string { return f.dir.Path(f.dir.ProbeName()) }

// mode is the value of Result.IO.
func (f *probeFile) mode() string {
	if f.direct {
		return "direct"
	}
	return "buffered"
}

func (f *probeFile) close() error {
	err := f.dir.CloseFile(f.request.FD, f.dir.ProbeName())
	if f.request.Buffer != nil {
		err = errors.Join(err, unix.Munmap(f.request.Buffer))
	}
	return err
}
