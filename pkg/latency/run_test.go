package latency_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

func TestResultSumsUpTheSamples(t *testing.T) {
	directory := t.TempDir()
	before := latency.Now()
	result, r := run(t, unhurried(directory))
	measured(t, result, r)

	var read, commit latency.Stats
	for i, s := range r.samples(latency.Read) {
		if s.WarmUp != (i == 0) {
			t.Errorf("read %d: warm-up is %t", i, s.WarmUp)
		}
		if !s.WarmUp {
			read.Add(s.Latency)
		}
	}
	for _, s := range r.samples(latency.Commit) {
		if s.WarmUp {
			t.Error("a commit is a warm-up")
		}
		commit.Add(s.Latency)
	}
	if read.Count < 1 || commit.Count < 1 {
		t.Errorf("%d reads and %d commits", read.Count, commit.Count)
	}
	if diff := cmp.Diff([]latency.Stats{read, commit}, []latency.Stats{result.Read, result.Commit}); diff != "" {
		t.Error(diff)
	}
	if result.Started < before || result.Ended < result.Started || result.Ended > latency.Now() {
		t.Errorf("from %d to %d, called after %d", result.Started, result.Ended, before)
	}
	onlyProbe(t, directory)
}

func TestStats(t *testing.T) {
	var s latency.Stats
	if !math.IsNaN(s.Avg()) || !math.IsNaN(s.Mdev()) {
		t.Errorf("of nothing: avg %v, mdev %v", s.Avg(), s.Mdev())
	}
	for _, ms := range []int{2, 4, 4, 4, 5, 5, 7, 9} {
		s.Add(time.Duration(ms) * time.Millisecond)
	}
	got := []float64{float64(s.Count), s.Min, s.Avg(), s.Max, s.Mdev()}
	want := []float64{8, 0.002, 0.005, 0.009, 0.002}
	for i := range got {
		if math.Abs(got[i]-want[i]) > 1e-9 {
			t.Errorf("count, min, avg, max, mdev: got %v, want %v", got, want)
			break
		}
	}
}

// TestRequestsAreAnnouncedBeforeTheSleep holds the order that keeps everything else away from the timed call.
func TestRequestsAreAnnouncedBeforeTheSleep(t *testing.T) {
	result, r := run(t, unhurried(t.TempDir()))
	measured(t, result, r)
	for i, e := range r.events {
		if e.sample == nil {
			continue
		}
		announced := r.events[i-1]
		if e.sample.Op == latency.Read && announced.operation != "read" {
			t.Fatalf("before a read %q was announced", announced.operation)
		}
		if e.sample.Op == latency.Read && announced.at > e.sample.Start+latency.Instant(time.Millisecond) {
			t.Errorf("a read was announced for %d and began at %d", announced.at, e.sample.Start)
		}
		if next := r.events[i+1]; next.sample != nil {
			t.Error("two samples without an announcement between them")
		}
	}
	last := r.events[len(r.events)-1]
	if last.operation != "" || last.sample != nil || last.at != result.Ended {
		t.Errorf("the last event is %+v", last)
	}
}

func TestSchedule(t *testing.T) {
	s := unhurried(t.TempDir())
	s.Start = latency.Now() + latency.Instant(300*time.Millisecond)
	result, r := run(t, s)
	measured(t, result, r)
	seen := map[int]bool{}
	for _, sample := range append(r.samples(latency.Read), r.samples(latency.Commit)...) {
		due := sample.Start - latency.Instant(sample.Lag)
		k := int(due-s.Start) / int(s.Interval)
		if due != s.Start+latency.Instant(k)*latency.Instant(s.Interval) || seen[k] {
			t.Errorf("%s was due %v after the start", sample.Op, time.Duration(due-s.Start))
		}
		if isCommit := sample.Op == latency.Commit; isCommit != (k >= s.Count) || k >= s.Count+s.Commits {
			t.Errorf("request %d is a %s", k, sample.Op)
		}
		seen[k] = true
	}
	if len(seen) < 2 {
		t.Errorf("%d requests", len(seen))
	}
}

// TestNoCatchingUp stalls the second read until the times of three more have passed: two of them are left out.
func TestNoCatchingUp(t *testing.T) {
	f := faultfs.Mount(t, faultfs.Options{})
	s := unhurried(f.Path())
	s.Count, s.Commits = 8, 0
	const stall = 350 * time.Millisecond
	r := new(recorder)
	r.onSample = func() {
		f.Clear()
		if len(r.samples(latency.Read)) == 1 {
			f.Set(faultfs.Read, faultfs.Fault{Delay: stall})
		}
	}
	result := latency.Run(t.Context(), s, r)
	measured(t, result, r)

	samples := r.samples(latency.Read)
	if n := len(samples); n > s.Count-2 || n < 3 {
		t.Fatalf("%d reads of %d", n, s.Count)
	}
	if samples[1].Latency < stall {
		t.Errorf("the stalled read took %v", samples[1].Latency)
	}
	late := samples[2]
	if !late.Late() || late.Lag >= s.Interval {
		t.Errorf("after the stall the lag is %v: the newest time that passed is to be made up for, at once", late.Lag)
	}
	for _, sample := range samples[1:] {
		offset := time.Duration(sample.Start-samples[0].Start) - sample.Lag + samples[0].Lag
		if offset%s.Interval != 0 {
			t.Errorf("a read was due %v after the first", offset)
		}
	}
}

func TestOffsetsDoNotRepeat(t *testing.T) {
	offsets := make(chan int64, 100)
	f := faultfs.Mount(t, faultfs.Options{DirectIO: true, OnRead: func(offset int64) { offsets <- offset }})
	s := unhurried(f.Path())
	s.Count, s.Commits, s.Interval, s.WorkingSet = 4, 0, 50*time.Millisecond, 64<<10
	var p latency.Prober
	dealt := []int64{}
	for len(dealt) < 32 {
		result, r := runWith(t, &p, s)
		measured(t, result, r)
		<-offsets // the test read of the run
		for len(offsets) > 0 {
			dealt = append(dealt, <-offsets)
		}
	}
	for _, round := range [][]int64{dealt[:16], dealt[16:32]} {
		seen := map[int64]bool{}
		for _, offset := range round {
			if offset%4096 != 0 || offset < 0 || offset >= 64<<10 {
				t.Errorf("offset %d", offset)
			}
			seen[offset] = true
		}
		if len(seen) != 16 {
			t.Errorf("%d of 16 offsets were read in one round: %v", len(seen), round)
		}
	}
	if cmp.Equal(dealt[:16], dealt[16:32]) {
		t.Errorf("two rounds in the same order: %v", dealt[:16])
	}
}

func TestSkips(t *testing.T) {
	directory := t.TempDir()
	for name, test := range map[string]struct {
		change func(s *latency.Spec)
		want   reason.Skip
	}{
		"absent": {func(s *latency.Spec) { s.Directory = filepath.Join(directory, "bulkRollback") }, "absent"},
		"mount":  {func(s *latency.Spec) { s.Mount = topology.Mount{ID: 1 << 40, Device: "0:1"} }, "mount"},
	} {
		t.Run(name, func(t *testing.T) {
			s := spec(directory)
			test.change(&s)
			result, r := run(t, s)
			if result.Skip != test.want || result.Error == "" || result.ReadFailure != "" || result.CommitFailure != "" {
				t.Errorf("got %+v", result)
			}
			if n := len(r.samples(latency.Read)) + len(r.samples(latency.Commit)); n != 0 {
				t.Errorf("%d samples", n)
			}
			files(t, directory)
		})
	}
}

func TestBadSpecs(t *testing.T) {
	directory := t.TempDir()
	for name, change := range map[string]func(*latency.Spec){
		"interval":     func(s *latency.Spec) { s.Interval = 0 },
		"request size": func(s *latency.Spec) { s.RequestSize = 0 },
		"working set":  func(s *latency.Spec) { s.WorkingSet = 4095 },
	} {
		t.Run(name, func(t *testing.T) {
			s := spec(directory)
			change(&s)
			result, _ := run(t, s)
			if result.ReadFailure != "einval" || result.CommitFailure != "einval" || result.Error == "" {
				t.Errorf("got %+v", result)
			}
			files(t, directory)
		})
	}
}

func TestCancelEndsARunSoon(t *testing.T) {
	directory := t.TempDir()
	s := spec(directory)
	s.Interval = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	r := &recorder{onSample: cancel}
	begin := time.Now()
	result := latency.Run(ctx, s, r)
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("the run ended after %v", took)
	}
	if n := len(r.samples(latency.Read)); n != 1 || result.Read.Count != 0 || result.Error != "" {
		t.Errorf("%d samples, result %+v", n, result)
	}
	onlyProbe(t, directory)
}

// TestReadsDoNotAllocate compares runs of different length: what they have in common is their set-up.
func TestReadsDoNotAllocate(t *testing.T) {
	directory := inMemory(t)
	allocations := func(count int) uint64 {
		s := spec(directory)
		s.Count, s.Commits, s.Interval = count, 0, 200*time.Microsecond
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		result := latency.Run(t.Context(), s, silent{})
		runtime.ReadMemStats(&after)
		if result.Error != "" {
			t.Fatal(result.Error)
		}
		return after.Mallocs - before.Mallocs
	}
	allocations(10) // makes the probe file
	few, many := allocations(10), allocations(1010)
	if many > few+50 {
		t.Errorf("%d allocations with 10 reads, %d with 1010", few, many)
	}
}

// silent is an observer that does nothing.
type silent struct{}

func (silent) Operation(string, latency.Instant) {}
func (silent) Sample(latency.Sample)             {}

func TestOverhead(t *testing.T) {
	if got := latency.Overhead(1000); got <= 0 || got > time.Millisecond {
		t.Errorf("an empty call takes %v", got)
	}
	if got := latency.Overhead(0); got != 0 {
		t.Errorf("no call takes %v", got)
	}
}

func TestProbeFileIsOwnedLikeItsDirectory(t *testing.T) {
	directory := t.TempDir()
	if err := os.Chown(directory, 1234, 2345); err != nil {
		t.Fatal(err)
	}
	result, r := run(t, spec(directory))
	measured(t, result, r)
	checkProbe(t, directory)
}
