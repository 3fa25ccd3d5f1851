//go:build linux

package latency

import (
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/scratch"
)

// commitSize is the size of a committed file in bytes.
const commitSize = 4096

// commits does Commits requests, on the grid after the reads. Where there were no reads, they begin at once.
func (r *run) commits(grid *grid) {
	if r.spec.Commits < 1 || r.ctx.Err() != nil {
		return
	}
	end := grid.next + r.spec.Commits
	if grid.next == 0 {
		grid.start = max(grid.start, r.clock.now())
	}
	data := make([]byte, commitSize)
	// Read is documented never to return an error.
	_, _ = cryptorand.Read(data)
	for {
		due, more := grid.take(r.clock.now(), end)
		if !more {
			return
		}
		c := commit{dir: r.dir, data: data, fd: -1, temporary: r.dir.TempName("commit"), final: r.dir.TempName("committed")}
		if !r.await("commit", due) {
			return
		}
		s, err := r.timedCommit(&c, due)
		r.note(err)
		err = c.cleanUp(r.prober)
		r.note(err)
		if s.Reason == "" {
			r.result.Commit.Add(s.Latency)
		}
		r.observer.Sample(s)
		if err != nil {
			return // one file more that stays is enough
		}
	}
}

// timedCommit does one commit. Between the two looks at the clock there are its four calls alone.
func (r *run) timedCommit(c *commit, due Instant) (Sample, error) {
	begin := r.clock.since()
	step, err := c.do()
	latency := r.clock.since() - begin

	s := Sample{Op: Commit, Start: r.clock.instant(begin), Latency: latency, Reason: reason.Of(err)}
	s.Lag = max(0, time.Duration(s.Start-due))
	if err != nil {
		err = fmt.Errorf("%s %s: %w", step, c.dir.Path(c.temporary), err)
	}
	return s, err
}

// commit is one small file that is made durable under its final name, as cpimport does in bulkRollback for each column.
type commit struct {
	dir              *scratch.Dir
	data             []byte
	temporary, final string
	fd               int
	renamed          bool
}

// do returns the step that did not succeed. Nothing is announced in here, since all of it is timed.
func (c *commit) do() (step string, err error) {
	if err := c.create(); err != nil {
		return "create", err
	}
	if err := writeAll(c.fd, c.data, 0); err != nil {
		return "write", err
	}
	if err := ignoringEINTR(func() error { return unix.Fsync(c.fd) }); err != nil {
		return "fsync", err
	}
	if err := ignoringEINTR(func() error { return unix.Renameat(c.dir.Fd(), c.temporary, c.dir.Fd(), c.final) }); err != nil {
		return "rename", err
	}
	c.renamed = true
	return "", nil
}

func (c *commit) create() error {
	flags := unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(c.dir.Fd(), c.temporary, flags, scratch.Mode)
	for err == unix.EINTR {
		// The interrupted call may have made the file; nobody else makes this name.
		fd, err = unix.Openat(c.dir.Fd(), c.temporary, flags&^unix.O_EXCL, scratch.Mode)
	}
	if err == nil {
		c.fd = fd
	}
	return err
}

// cleanUp leaves nothing behind, also where a rename was reported as failed but done. The owner is set first, for the case that the file cannot be removed; the file is
// closed before it is removed, since NFS would keep it under another name until then.
func (c *commit) cleanUp(p *Prober) error {
	if c.fd < 0 {
		return nil
	}
	err := errors.Join(c.dir.Own(c.fd, c.final), c.dir.CloseFile(c.fd, c.final), p.discard(c.dir, c.final))
	if !c.renamed {
		err = errors.Join(err, p.discard(c.dir, c.temporary))
	}
	return err
}
