//go:build linux

package latency

import (
	cryptorand "crypto/rand"
	"errors"
	"fmt"

	"github.com/columnstore/columnstore_exporter/pkg/latency/internal/timed"
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
	if grid.next == 0 {
		grid.start = max(grid.start, Now())
	}
	end := grid.next + r.spec.Commits
	data := make([]byte, commitSize)
	// Read is documented never to return an error.
	_, _ = cryptorand.Read(data)
	for {
		due, more := grid.take(Now(), end)
		if !more || !r.commit(data, due) {
			return
		}
	}
}

// commit makes one small file durable under its final name, as cpimport does in bulkRollback for each column. It
// reports false when there are to be no more: one file that cannot be removed is enough.
func (r *run) commit(data []byte, due Instant) bool {
	temporary, final := r.dir.TempName("commit"), r.dir.TempName("committed")
	request := timed.Commit{
		Due:       int64(due),
		Cancel:    &r.cancel,
		Dir:       r.dir.Fd(),
		Temporary: append([]byte(temporary), 0),
		Final:     append([]byte(final), 0),
		Mode:      scratch.Mode,
		Data:      data,
	}
	r.announceDue("commit", due)
	if r.ctx.Err() != nil || !request.Do() {
		return false
	}
	s := sample(Commit, due, request.Begin, request.End)
	if request.Step == timed.Done {
		r.result.Commit.Add(s.Latency)
	} else {
		s.Reason = reason.Of(request.Errno)
		r.note(fmt.Errorf("%s %s: %w", request.Step, r.dir.Path(temporary), request.Errno))
	}
	err := r.removeCommit(request.FD, temporary, final, request.Step == timed.Done)
	r.note(err)
	r.observer.Sample(s)
	return err == nil
}

// removeCommit leaves nothing behind, also where a rename was reported as failed but done. The owner is set first, for
// the case that the file cannot be removed; the file is closed before it is removed, since NFS would keep it under
// another name until then.
func (r *run) removeCommit(fd int, temporary, final string, done bool) error {
	if fd < 0 {
		return nil
	}
	err := errors.Join(r.dir.Own(fd, final), r.dir.CloseFile(fd, final), r.prober.discard(r.dir, final))
	if !done {
		err = errors.Join(err, r.prober.discard(r.dir, temporary))
	}
	return err
}
