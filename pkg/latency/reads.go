//go:build linux

package latency

import (
	"fmt"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/reason"
)

// reads does the first Count requests of the grid.
func (r *run) reads(grid *grid) {
	if r.spec.Count < 1 {
		return
	}
	f, err := r.openProbe()
	if err != nil {
		r.failReads(err)
		return
	}
	r.result.IO = f.mode()
	r.prober.slots.resize(int(r.spec.slots()))
	r.dir.Announce("statfs")
	proof := newProof(r.dir.Fd())
	defer proof.close()

	grid.start = max(grid.start, Now())
	damaged := r.readAll(f, proof, grid)
	r.result.DeviceRatio = proof.ratio()
	if damaged {
		r.note(r.dir.Remove(r.dir.ProbeName()))
	}
	r.note(f.close())
}

// readAll reports whether a block was not what was written.
func (r *run) readAll(f *probeFile, proof *proof, grid *grid) (damaged bool) {
	warmUp := true
	for {
		due, more := grid.take(Now(), r.spec.Count)
		if !more {
			grid.next = r.spec.Count
			return damaged
		}
		if !f.direct {
			f.dropCache()
		}
		if !r.await("read", due) {
			return damaged
		}
		s, n, err := r.timedRead(f, due)
		s.WarmUp = warmUp
		if s.Reason != "" {
			r.note(fmt.Errorf("read %d bytes of %s: %w", r.spec.RequestSize, f.path(), err))
			damaged = damaged || s.Reason == reason.Corrupt
			n = 0
		}
		if warmUp {
			proof.begin()
		} else {
			proof.count(n)
		}
		r.countRead(s)
		warmUp = false
	}
}

// timedRead reads one block when it is due.
func (r *run) timedRead(f *probeFile, due Instant) (s Sample, n int, err error) {
	slot := r.prober.slots.deal()
	f.request.Due = int64(due)
	f.request.Offset = slot * r.spec.RequestSize
	f.request.Do()

	s = sample(Read, due, f.request.Begin, f.request.End)
	if n, err = f.outcome(); err == nil {
		err = f.verify(slot)
	}
	s.Reason = reason.Of(err)
	return s, n, err
}

// sample is a finished request whose reason is still to be found.
func sample(op Op, due Instant, begin, end int64) Sample {
	return Sample{
		Op:      op,
		Start:   Instant(begin),
		Latency: time.Duration(end - begin),
		Lag:     max(0, time.Duration(begin-int64(due))),
	}
}

func (r *run) countRead(s Sample) {
	if !s.WarmUp && s.Reason == "" {
		r.result.Read.Add(s.Latency)
	}
	r.observer.Sample(s)
}
