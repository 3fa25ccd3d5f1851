package survey_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/survey"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// probes answer from the functions of a test; those that are nil are not to be called.
type probes struct {
	inspect  func(ctx context.Context, t topology.Target) (topology.Facts, error)
	run      func(ctx context.Context, spec latency.Spec, onSample func(latency.Sample)) (latency.Result, error)
	inFlight func(t topology.Target) (worker.Operation, bool)
}

func (p probes) Inspect(ctx context.Context, t topology.Target) (topology.Facts, error) {
	return p.inspect(ctx, t)
}

func (p probes) Latency(ctx context.Context, _ topology.Target, spec latency.Spec, onSample func(latency.Sample)) (latency.Result, error) {
	return p.run(ctx, spec, onSample)
}

func (p probes) InFlight(t topology.Target) (worker.Operation, bool) {
	if p.inFlight == nil {
		return worker.Operation{}, false
	}
	return p.inFlight(t)
}

func planned(directories ...string) []topology.Planned {
	var out []topology.Planned
	for _, d := range directories {
		out = append(out, topology.Planned{Target: topology.Target{Kind: topology.KindExtra, Directory: d}})
	}
	return out
}

func present(directory string) survey.Directory {
	return survey.Directory{Planned: planned(directory)[0], Facts: topology.Facts{State: topology.StatePresent, Mount: topology.Mount{Device: "8:1"}}}
}

func spec() latency.Spec {
	return latency.Spec{Count: 3, Commits: 1, Interval: time.Second, RequestSize: 4096, WorkingSet: 1 << 20}
}

// reads are a warm-up and so many reads of these latencies, and a commit.
func reads(onSample func(latency.Sample), latencies ...time.Duration) latency.Result {
	r := latency.Result{IO: "direct", DeviceRatio: new(1.0), Started: 1, Ended: latency.Instant(3 * time.Second)}
	at := latency.Instant(time.Hour)
	onSample(latency.Sample{Op: latency.Read, Start: at, Latency: time.Millisecond, WarmUp: true})
	for _, l := range latencies {
		at += latency.Instant(time.Second)
		r.Read.Add(l)
		onSample(latency.Sample{Op: latency.Read, Start: at, Latency: l})
	}
	r.Commit.Add(5 * time.Millisecond)
	onSample(latency.Sample{Op: latency.Commit, Start: at + latency.Instant(time.Second), Latency: 5 * time.Millisecond})
	return r
}

func TestInspectWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := probes{
			inspect: func(ctx context.Context, target topology.Target) (topology.Facts, error) {
				switch target.Directory {
				case "/hung":
					<-ctx.Done()
					return topology.Facts{}, ctx.Err()
				case "/broken":
					return topology.Facts{}, errors.New("no worker process")
				}
				return topology.Facts{State: topology.StatePresent}, nil
			},
			inFlight: func(target topology.Target) (worker.Operation, bool) {
				return worker.Operation{Name: "open", Since: time.Now().Add(-7 * time.Second)}, target.Directory == "/hung"
			},
		}
		begun := time.Now()
		got := survey.Inspect(t.Context(), p, planned("/hung", "/well", "/broken"))
		if took := time.Since(begun); took != survey.Patience {
			t.Errorf("took %s, want %s", took, survey.Patience)
		}
		want := []topology.Facts{
			{State: topology.StateUnknown, Reason: "other", Error: "the storage does not answer: open of /hung has not come back for 7s"},
			{State: topology.StatePresent},
			{State: topology.StateUnknown, Reason: "other", Error: "no worker process"},
		}
		for i := range want {
			if diff := cmp.Diff(want[i], got[i].Facts); diff != "" {
				t.Errorf("directory %d: %s", i, diff)
			}
		}
	})
}

func TestMeasure(t *testing.T) {
	ended := time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)
	var ticks atomic.Int32
	p := probes{run: func(_ context.Context, spec latency.Spec, onSample func(latency.Sample)) (latency.Result, error) {
		if spec.Directory != "/data" || spec.Mount.Device != "8:1" {
			t.Errorf("spec of %s on %v", spec.Directory, spec.Mount)
		}
		return reads(onSample, 2*time.Millisecond, 4*time.Millisecond), nil
	}}
	absent := present("/absent")
	absent.Facts.State = topology.StateAbsent
	got := survey.Measure(t.Context(), p, []survey.Directory{present("/data"), absent}, spec(), func() { ticks.Add(1) })
	if ticks.Load() != 4 {
		t.Errorf("%d ticks, want 4", ticks.Load())
	}
	data := got[0].Picture(ended)
	want := &status.Run{
		Ended: ended, Requests: 3, Count: 2, Min: 2e-3, Avg: 3e-3, Max: 4e-3, Mdev: 1e-3, Elapsed: 2.004,
		Quantiles: &status.Quantiles{P50: 2e-3, P95: 4e-3, P99: 4e-3},
	}
	near := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })
	if diff := cmp.Diff(want, data.Read, near); diff != "" {
		t.Errorf("reads: %s", diff)
	}
	if !*data.Success || data.Commit.Count != 1 || data.Commit.Elapsed != 5e-3 || data.IO != "direct" || *data.DeviceRatio != 1 || data.Error != "" || data.Runs != 1 {
		t.Errorf("picture: %+v", data)
	}
	if none := got[1].Picture(ended); none.Success != nil || none.Read != nil || none.Runs != 0 || none.Failed == nil || none.Skipped == nil {
		t.Errorf("picture of an absent directory: %+v", none)
	}
}

func TestMeasureKeepsWhatAStoppedRunHas(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	p := probes{run: func(ctx context.Context, _ latency.Spec, onSample func(latency.Sample)) (latency.Result, error) {
		reads(onSample, 2*time.Millisecond)
		stop()
		return latency.Result{}, ctx.Err()
	}}
	got := survey.Measure(ctx, p, []survey.Directory{present("/data")}, spec(), func() {})[0].Picture(time.Now())
	if got.Success == nil || !*got.Success || got.Read.Count != 1 || got.Read.Requests != 2 || got.Error != "" {
		t.Errorf("picture: %+v", got)
	}
}

func TestMeasureStoppedBeforeAnAnswerIsNoRun(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	p := probes{run: func(ctx context.Context, _ latency.Spec, _ func(latency.Sample)) (latency.Result, error) {
		stop()
		return latency.Result{}, ctx.Err()
	}}
	if got := survey.Measure(ctx, p, []survey.Directory{present("/data")}, spec(), func() {})[0].Picture(time.Now()); got.Success != nil || got.Runs != 0 {
		t.Errorf("picture: %+v", got)
	}
}

func TestMeasureGivesUpOnStorageThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung := worker.Operation{Name: "read", Since: time.Now()}
		p := probes{
			run: func(ctx context.Context, _ latency.Spec, onSample func(latency.Sample)) (latency.Result, error) {
				reads(onSample, 2*time.Millisecond)
				<-ctx.Done()
				return latency.Result{}, ctx.Err()
			},
			inFlight: func(topology.Target) (worker.Operation, bool) { return hung, true },
		}
		begun := time.Now()
		got := survey.Measure(t.Context(), p, []survey.Directory{present("/data")}, spec(), func() {})[0].Picture(time.Now())
		if took, want := time.Since(begun), 4*time.Second+survey.Patience; took != want {
			t.Errorf("took %s, want %s", took, want)
		}
		if got.InFlight == nil || got.InFlight.Name != "read" || !got.InFlight.Since.Equal(hung.Since) || got.Read.Count != 1 {
			t.Errorf("picture: %+v", got)
		}
	})
}

func TestMeasureTellsFailures(t *testing.T) {
	for name, test := range map[string]struct {
		run     func(onSample func(latency.Sample)) (latency.Result, error)
		failed  map[string]uint64
		success bool
		trouble string
	}{
		"each read": {func(onSample func(latency.Sample)) (latency.Result, error) {
			for range 3 {
				onSample(latency.Sample{Op: latency.Read, Reason: reason.EIO})
			}
			return latency.Result{Ended: 1, Error: "read x: input/output error"}, nil
		}, map[string]uint64{"eio": 3}, false, "input/output error"},
		"one commit": {func(onSample func(latency.Sample)) (latency.Result, error) {
			r := reads(onSample, time.Millisecond)
			onSample(latency.Sample{Op: latency.Commit, Reason: reason.ENOSPC})
			r.Error = "write x: no space left on device"
			return r, nil
		}, map[string]uint64{"enospc": 1}, true, "no space left"},
		"the beginning": {func(func(latency.Sample)) (latency.Result, error) {
			return latency.Result{Ended: 1, ReadFailure: reason.EACCES, CommitFailure: reason.EACCES, Error: "open x: permission denied"}, nil
		}, map[string]uint64{"eacces": 2}, false, "permission denied"},
		"the worker": {func(func(latency.Sample)) (latency.Result, error) {
			return latency.Result{}, errors.New("no worker process")
		}, map[string]uint64{}, false, "no worker process"},
	} {
		t.Run(name, func(t *testing.T) {
			p := probes{run: func(_ context.Context, _ latency.Spec, onSample func(latency.Sample)) (latency.Result, error) {
				return test.run(onSample)
			}}
			got := survey.Measure(t.Context(), p, []survey.Directory{present("/data")}, spec(), func() {})[0].Picture(time.Now())
			if diff := cmp.Diff(test.failed, got.Failed); diff != "" {
				t.Errorf("failures: %s", diff)
			}
			if *got.Success != test.success || !strings.Contains(got.Error, test.trouble) {
				t.Errorf("success %v, error %q", *got.Success, got.Error)
			}
		})
	}
}
