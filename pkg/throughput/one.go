//go:build linux

package throughput

import (
	"context"
	"sync"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
)

// one runs one test on all lanes, and tells whether it came to its end or to the limit of its files.
func (r *run) one(ctx context.Context, kind Test) (result Result, whole bool) {
	window, statErr := r.stats.Begin(r.spec.Source)
	t := newTest(kind, r.spec.CRC, r.spec.Duration)
	r.watch.follow(t)
	defer r.watch.follow(nil)
	defer context.AfterFunc(ctx, func() { t.end(EndedStopped, nil) })()
	done := r.streams(t)
	elapsed := time.Since(t.started)
	var stats iostat.Stats
	if statErr == nil {
		stats, statErr = window.End()
	}
	r.settle(t)
	result = r.result(t, done, elapsed)
	result.Device, result.NFS = stats.Device, stats.NFS
	if statErr != nil {
		result.StatisticsError = statErr.Error()
	}
	return result, !t.over.Load()
}

// streams moves blocks on all lanes, under guard, until all are done.
func (r *run) streams(t *test) tally {
	over := make(chan struct{})
	var guard, threads sync.WaitGroup
	guard.Go(func() { r.room.guard(r.dir, r.own, t, over) })
	tallies := make([]tally, len(r.lanes))
	for i, l := range r.lanes {
		threads.Go(func() { tallies[i] = newStream(t, l.file, l.blocks).run() })
	}
	threads.Wait()
	close(over)
	guard.Wait()
	sum := tallies[0]
	for _, other := range tallies[1:] {
		sum = sum.plus(other)
	}
	return sum
}

// settle waits until storage has finished what a test wrote, so that the next one does not pay for it. A test that was
// ended has none after it, and its files go.
func (r *run) settle(t *test) {
	if !t.kind.writes() || t.over.Load() {
		return
	}
	for _, l := range r.lanes {
		if err := l.file.sync(); err != nil {
			t.end("", err)
		}
	}
}

func (r *run) result(t *test, done tally, elapsed time.Duration) Result {
	seconds := elapsed.Seconds()
	share := func(d time.Duration) float64 { return d.Seconds() / seconds / float64(r.spec.Threads) }
	early, err := t.ended()
	if early == "" && err == nil && done.full {
		early = r.room.limit
	}
	result := Result{
		Test:         t.kind,
		Seconds:      seconds,
		Threads:      r.spec.Threads,
		ReadBytes:    done.reads * r.spec.BlockSize,
		WrittenBytes: done.writes * r.spec.BlockSize,
		CPU:          share(done.cpu),
		IOWait:       share(done.wait),
		CRC:          share(done.crc),
		EndedEarly:   early,
		IO:           r.mode(),
		DeviceRatio:  r.deviceRatio(done),
		Failure:      reason.Of(err),
	}
	if t.kind == SkipRead {
		result.Seeks = done.reads
	}
	if err != nil {
		result.Error = err.Error()
	}
	return result
}

// mode is direct when all files are.
func (r *run) mode() string {
	for _, l := range r.lanes {
		if !l.file.direct {
			return Buffered
		}
	}
	return Direct
}

func (r *run) deviceRatio(done tally) *float64 {
	bytes := (done.reads + done.writes) * r.spec.BlockSize
	if !r.accounts || done.device == nil || bytes == 0 {
		return nil
	}
	// What the file system writes for itself in the thread's name is counted too.
	ratio := min(1, float64(*done.device)/float64(bytes))
	return &ratio
}
