package monitor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/metrics"
	"github.com/columnstore/columnstore_exporter/pkg/monitor"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/schedule"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/tasks"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

var (
	data     = topology.Target{DBRoot: "1", Kind: topology.KindDBRoot, Directory: "/srv/data1"}
	rollback = topology.Target{DBRoot: "1", Kind: topology.KindBulkRollback, Directory: "/srv/data1/bulkRollback"}
	present  = topology.Facts{
		State: topology.StatePresent, Resolved: "/srv/data1", FSType: "xfs", Mountpoint: "/srv", Mount: topology.Mount{ID: 7, Device: "8:1"},
	}
)

// probes answers as a test says.
type probes struct {
	mu        sync.Mutex
	topology  topology.Topology
	discovery error
	facts     map[string]topology.Facts
	latency   func(ctx context.Context, onSample func(latency.Sample)) (latency.Result, error)
	since     time.Time // of the operation in flight; zero for none
	runs      int
	looks     int    // for the configuration
	anew      []bool // whether each run was after trouble
}

func newProbes(targets ...topology.Target) *probes {
	p := &probes{facts: map[string]topology.Facts{}, latency: quick}
	p.plan(targets...)
	for _, t := range targets {
		p.facts[t.Key()] = present
	}
	return p
}

// quick is a run of one counted read of 400 µs and one commit of 2 ms that takes 3 s.
func quick(ctx context.Context, onSample func(latency.Sample)) (latency.Result, error) {
	select {
	case <-time.After(3 * time.Second):
	case <-ctx.Done():
		return latency.Result{}, ctx.Err()
	}
	r := latency.Result{IO: "direct"}
	onSample(latency.Sample{Op: latency.Read, Latency: 400 * time.Microsecond})
	r.Read.Add(400 * time.Microsecond)
	r.Commit.Add(2 * time.Millisecond)
	return r, nil
}

// hang is a run that never comes back.
func hang(ctx context.Context, _ func(latency.Sample)) (latency.Result, error) {
	<-ctx.Done()
	return latency.Result{}, ctx.Err()
}

func (p *probes) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *probes) plan(targets ...topology.Target) {
	p.topology = topology.Topology{Module: "pm1"}
	for _, t := range targets {
		p.topology.Targets = append(p.topology.Targets, topology.Planned{Target: t})
	}
}

func (p *probes) Discover(context.Context) (topology.Topology, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looks++
	return p.topology, p.discovery
}

func (p *probes) Inspect(_ context.Context, t topology.Target) (topology.Facts, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.facts[t.Key()], nil
}

func (p *probes) Latency(ctx context.Context, _ topology.Target, spec latency.Spec, onSample func(latency.Sample)) (latency.Result, error) {
	p.mu.Lock()
	run := p.latency
	p.runs++
	p.anew = append(p.anew, spec.Anew)
	p.mu.Unlock()
	return run(ctx, onSample)
}

func (p *probes) begun() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runs
}

func (p *probes) looked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.looks
}

func (p *probes) InFlight(topology.Target) (worker.Operation, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return worker.Operation{Name: "read", Since: p.since}, !p.since.IsZero()
}

func (p *probes) Retain([]tasks.Place) {}

func (p *probes) Entries(context.Context, tasks.Place) (int, error) {
	return 3, nil
}

func (p *probes) Free(context.Context, []tasks.Place) (int64, error) { return 1 << 30, nil }

// bench is a monitor at work on scripted probes.
type bench struct {
	t        *testing.T
	registry *prometheus.Registry
	lane     *schedule.Lane
	monitor  *monitor.Monitor
}

// start runs a monitor with a run each minute and a discovery each 30 s; it is stopped at the test's end.
func start(t *testing.T, p *probes) *bench {
	t.Helper()
	b := &bench{t: t, registry: prometheus.NewPedanticRegistry(), lane: schedule.NewLane()}
	b.monitor = monitor.New(monitor.Options{
		Probes: p, Storage: metrics.NewStorage(b.registry, metrics.StorageSettings{}), BulkRollback: metrics.NewBulkRollback(b.registry),
		Lag: func(time.Duration) {}, Restarted: func(string) {}, Lane: b.lane,
		Spec: latency.Spec{Host: "node", Count: 2, Commits: 1, Interval: time.Second}, Interval: time.Minute,
		DiscoveryInterval: 30 * time.Second, Log: zap.NewNop(),
	})
	if err := b.monitor.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.monitor.Stop(time.Second) })
	return b
}

// pass lets time go by.
func pass(d time.Duration) {
	time.Sleep(d) // a synctest bubble's clock
	synctest.Wait()
}

// expect compares one family of metrics. Lines are written without the prefix columnstore_storage_.
func (b *bench) expect(name string, lines ...string) {
	b.t.Helper()
	var want strings.Builder
	for _, l := range lines {
		want.WriteString("columnstore_storage_" + l + "\n")
	}
	text := exposition(b.t, b.registry, "columnstore_storage_"+name)
	if text != want.String() {
		b.t.Errorf("%s:\n%swant:\n%s", name, text, want.String())
	}
}

const one = `{dbroot="1",directory="/srv/data1",kind="dbroot"}`

func TestFirstRunAtOnceThenOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbes(data)
		b := start(t, p)
		pass(time.Second)
		if err := b.monitor.Ready(); err == nil {
			t.Error("ready before the first run has ended")
		}
		pass(4 * time.Second)
		if err := b.monitor.Ready(); err != nil {
			t.Errorf("not ready after the first run: %v", err)
		}
		b.expect("success", "success"+one+" 1")
		b.expect("runs_total", "runs_total"+one+" 1")
		pass(10 * time.Minute)
		b.expect("runs_total", "runs_total"+one+" 11")
		b.expect("read_run_avg_seconds", "read_run_avg_seconds"+one+" 0.0004")
	})
}

func TestHungRunIsSkippedNotDoubledAndRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbes(data)
		released := make(chan struct{})
		p.latency = func(ctx context.Context, onSample func(latency.Sample)) (latency.Result, error) {
			p.set(func() { p.since = time.Now() })
			select {
			case <-released:
			case <-ctx.Done():
			}
			p.set(func() { p.since = time.Time{}; p.latency = quick })
			return quick(ctx, onSample)
		}
		b := start(t, p)
		pass(5 * time.Second)
		if err := b.monitor.Ready(); err != nil {
			t.Errorf("a hung directory must not keep the daemon from being ready: %v", err)
		}
		pass(5*time.Minute - 5*time.Second)
		if n := p.begun(); n != 1 {
			t.Errorf("%d runs beside one that hangs", n)
		}
		if got := value(t, b.registry, `columnstore_storage_runs_skipped_total{dbroot="1",directory="/srv/data1",kind="dbroot",reason="in_flight"}`); got < 4 {
			t.Errorf("%v runs skipped in 5 minutes", got)
		}
		close(released)
		pass(2 * time.Minute)
		b.expect("success", "success"+one+" 1")
		b.expect("in_flight_start_timestamp_seconds", "in_flight_start_timestamp_seconds"+one+" 0")
	})
}

func TestRequestThatDiesWithItsWorkerWasStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbes(data)
		p.latency = func(_ context.Context, onSample func(latency.Sample)) (latency.Result, error) {
			onSample(latency.Sample{Op: latency.Read, WarmUp: true})
			return latency.Result{}, fmt.Errorf("task: %w", &worker.LostError{Worker: "8:1", Operation: "read", Cause: errors.New("killed")})
		}
		b := start(t, p)
		pass(5 * time.Second)
		b.expect("read_requests_total", "read_requests_total"+one+" 2")
		b.expect("commit_requests_total", "commit_requests_total"+one+" 0")
		b.expect("success", "success"+one+" 0")
	})
}

func TestAbsentBulkRollbackIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbes(rollback)
		p.facts[rollback.Key()] = topology.Facts{State: topology.StateAbsent, Mountpoint: "/srv"}
		b := start(t, p)
		pass(5 * time.Second)
		b.expect("success")
		if err := b.monitor.Ready(); err != nil {
			t.Errorf("not ready: %v", err)
		}
		p.set(func() { p.facts[rollback.Key()] = present })
		pass(2 * time.Minute)
		b.expect("success", `success{dbroot="1",directory="/srv/data1/bulkRollback",kind="bulkrollback"} 1`)
		if got := value(t, b.registry, `columnstore_bulkrollback_entries{dbroot="1"}`); got != 3 {
			t.Errorf("%v entries", got)
		}
		p.set(func() { p.facts[rollback.Key()] = topology.Facts{State: topology.StateAbsent, Mountpoint: "/srv"} })
		pass(2 * time.Minute)
		b.expect("success")
		b.expect("read_run_avg_seconds")
	})
}

func TestDirectoryThatCannotBeOpenedFailsWithReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbes(data)
		p.facts[data.Key()] = topology.Facts{State: topology.StateUnknown, Error: "open /srv/data1: permission denied", Reason: string(reason.EACCES)}
		b := start(t, p)
		pass(5 * time.Second)
		b.expect("success", "success"+one+" 0")
		for _, op := range []string{"read", "commit"} {
			if got := value(t, b.registry, `columnstore_storage_`+op+`_failures_total{dbroot="1",directory="/srv/data1",kind="dbroot",reason="eacces"}`); got != 1 {
				t.Errorf("%s failures: %v", op, got)
			}
		}
	})
}

func TestMountThatIsGoneIsNotMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbes(data)
		b := start(t, p)
		pass(5 * time.Second)
		fallen := present
		fallen.Mountpoint, fallen.Mount, fallen.FSType = "/", topology.Mount{ID: 1, Device: "8:0"}, "ext4"
		p.set(func() { p.facts[data.Key()] = fallen })
		pass(3 * time.Minute)
		if n := p.begun(); n > 2 {
			t.Errorf("%d runs: the root file system was measured as the DBroot", n)
		}
		if got := value(t, b.registry, `columnstore_storage_runs_skipped_total{dbroot="1",directory="/srv/data1",kind="dbroot",reason="mount"}`); got < 2 {
			t.Errorf("%v runs skipped for the mount", got)
		}
		other := present
		other.Mount = topology.Mount{ID: 9, Device: "8:9"}
		p.set(func() { p.facts[data.Key()] = other })
		before := p.begun()
		pass(2 * time.Minute)
		if p.begun() == before {
			t.Error("another mount at the same place is not measured")
		}
	})
}

func TestDirectoryThatMovedIsShownWhereItLies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbes(data)
		b := start(t, p)
		info := func(fstype, mountpoint string) {
			t.Helper()
			b.expect("target_info", fmt.Sprintf(
				`target_info{dbroot="1",device="",directory="/srv/data1",fstype=%q,io="direct",kind="dbroot",mountpoint=%q,name="",network="",source="",state="present"} 1`, fstype, mountpoint))
		}
		pass(5 * time.Second)
		info("xfs", "/srv")
		before := p.looked()
		fallen := present
		fallen.Mountpoint, fallen.Mount, fallen.FSType = "/", topology.Mount{ID: 1, Device: "8:0"}, "ext4"
		p.set(func() { p.facts[data.Key()] = fallen })
		pass(30 * time.Second)
		info("ext4", "/")
		if n := p.looked() - before; n != 2 {
			t.Errorf("%d discoveries in an interval, want the one that is due and one for the mount", n)
		}
		p.set(func() { p.facts[data.Key()] = present })
		pass(3 * time.Minute)
		info("xfs", "/srv")
		if diff := cmp.Diff([]bool{false, true, false, false}, p.anew[:4]); diff != "" {
			t.Errorf("runs after trouble (-want +got):\n%s", diff)
		}
	})
}

func TestTrialLaneSkips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbes(data)
		var b *bench
		var release func()
		p.set(func() { // no discovery comes back before the lane is taken
			b = start(t, p)
			release, _ = b.lane.TryAcquire("ingest")
		})
		pass(5 * time.Second)
		release()
		if got := value(t, b.registry, `columnstore_storage_runs_skipped_total{dbroot="1",directory="/srv/data1",kind="dbroot",reason="trial"}`); got != 1 {
			t.Errorf("%v runs skipped for the trial", got)
		}
	})
}

func TestDirectoriesComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbes(data, rollback)
		b := start(t, p)
		pass(5 * time.Second)
		p.set(func() { p.plan(data) })
		pass(31 * time.Second)
		b.expect("in_flight_start_timestamp_seconds", "in_flight_start_timestamp_seconds"+one+" 0")

		p.set(func() {
			p.topology, p.discovery = topology.Topology{}, errors.New("read /etc/columnstore/Columnstore.xml: gone")
		})
		pass(31 * time.Second)
		var s status.Snapshot
		b.monitor.Fill(&s)
		if len(s.Targets) != 1 || s.Discovery == "" {
			t.Errorf("the last good copy must serve, and the trouble be shown: %d targets, %q", len(s.Targets), s.Discovery)
		}
		b.monitor.Rediscover()
		p.set(func() { p.discovery = nil; p.plan(data, rollback) })
		pass(31 * time.Second)
		s = status.Snapshot{}
		b.monitor.Fill(&s)
		if len(s.Targets) != 2 || s.Discovery != "" {
			t.Errorf("%d targets, trouble %q", len(s.Targets), s.Discovery)
		}
	})
}

func TestOneDirectoryUnderTwoNamesIsNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alias := topology.Target{DBRoot: "2", Kind: topology.KindDBRoot, Directory: "/srv/alias"}
		p := newProbes(data, rollback, alias)
		apart := present
		apart.Resolved = rollback.Directory
		p.facts[rollback.Key()] = apart
		b := start(t, p)
		pass(5 * time.Second)
		var s status.Snapshot
		b.monitor.Fill(&s)
		if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "/srv/data1 (dbroot) and /srv/alias (dbroot) are one directory") {
			t.Errorf("notes %q", s.Notes)
		}
		p.set(func() { p.facts[alias.Key()] = topology.Facts{State: topology.StateAbsent, Mountpoint: "/srv"} })
		pass(31 * time.Second)
		s = status.Snapshot{}
		b.monitor.Fill(&s)
		if len(s.Notes) != 0 {
			t.Errorf("notes %q", s.Notes)
		}
	})
}

func TestPictureTellsTheLastRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, newProbes(data))
		pass(5 * time.Second)
		var s status.Snapshot
		b.monitor.Fill(&s)
		got := s.Targets[0]
		if s.Module != "pm1" || got.Read == nil || got.Read.Avg != 0.0004 || got.Commit.Avg != 0.002 || !*got.Success || len(got.History) != 1 || len(got.Recent) != 1 {
			t.Errorf("picture: %+v", got)
		}
	})
}

func TestStopEndsAHungRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbes(data)
		p.latency = hang
		b := start(t, p)
		pass(time.Second)
		begun := time.Now()
		b.monitor.Stop(time.Second)
		if took := time.Since(begun); took > time.Second {
			t.Errorf("stop took %s", took)
		}
	})
}

func TestSampleDoesNotAllocate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProbes(data)
		allocations := -1.0
		p.latency = func(ctx context.Context, onSample func(latency.Sample)) (latency.Result, error) {
			sample := latency.Sample{Op: latency.Read, Latency: 400 * time.Microsecond}
			allocations = testing.AllocsPerRun(1000, func() { onSample(sample) })
			return quick(ctx, onSample)
		}
		start(t, p)
		pass(5 * time.Second)
		if allocations != 0 {
			t.Errorf("%v allocations a sample", allocations)
		}
	})
}
