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
		if r.ctx.Err() == nil {
			r.failReads(err)
		}
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
		slot := r.prober.slots.deal()
		proof.begin()
		if !r.request(f, slot, due) {
			return damaged
		}
		proof.end()
		s, err := r.readSample(f, slot, due)
		s.WarmUp = warmUp
		if err != nil {
			r.note(fmt.Errorf("read %d bytes of %s: %w", r.spec.RequestSize, f.path(), err))
			damaged = damaged || s.Reason == reason.Corrupt
		}
		if err == nil && !warmUp {
			proof.count(len(f.request.Buffer))
		}
		r.countRead(s)
		warmUp = false
	}
}

// request does one read when it is due, and reports false when the run is to end.
func (r *run) request(f *probeFile, slot int64, due Instant) bool {
	if !f.direct {
		f.dropCache()
	}
	r.announceDue("read", due)
	f.request.Due = int64(due)
	f.request.Offset = slot * r.spec.RequestSize
	return r.ctx.Err() == nil && f.request.Do()
}

// readSample tells what became of the read.
func (r *run) readSample(f *probeFile, slot int64, due Instant) (Sample, error) {
	err := f.outcome()
	if err == nil {
		err = f.verify(slot)
	}
	s := sample(Read, due, f.request.Begin, f.request.End)
	s.Reason = reason.Of(err)
	return s, err
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
