package trials_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/metrics"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/schedule"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/trials"
)

// importer runs trials as a test says.
type importer struct {
	mu    sync.Mutex
	last  time.Time
	trial func(ctx context.Context) (*ingest.Trial, *ingest.Skip)
	runs  []time.Time
}

func (i *importer) Trial(ctx context.Context) (*ingest.Trial, *ingest.Skip) {
	i.mu.Lock()
	i.runs = append(i.runs, time.Now())
	run := i.trial
	i.mu.Unlock()
	return run(ctx)
}

func (i *importer) Health(context.Context) ingest.Database {
	return ingest.Database{Time: time.Now(), Up: true}
}

func (i *importer) LastTrial() time.Time { return i.last }

func (i *importer) count() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.runs)
}

func success(context.Context) (*ingest.Trial, *ingest.Skip) {
	return &ingest.Trial{Method: ingest.MethodCpimport, Seconds: 12, Rows: 10_000, Bytes: 16_000_000}, nil
}

func startImports(t *testing.T, i *importer, interval time.Duration) (*trials.Imports, *prometheus.Registry, *schedule.Lane) {
	t.Helper()
	registry, lane := prometheus.NewPedanticRegistry(), schedule.NewLane()
	imports := trials.NewImports(trials.ImportOptions{
		Importer: i, Ingest: metrics.NewIngest(registry, interval), Database: metrics.NewDatabase(registry),
		Restarted: func(string) {}, Lane: lane, Host: "node", Interval: interval, Log: zap.NewNop(),
		Means: func() *baseline.Means { return &baseline.Means{DBRoot: 0.001, BulkRollback: 0.002, Complete: true} },
	})
	if err := imports.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { imports.Stop(time.Second) })
	return imports, registry, lane
}

// pass lets time go by in a synctest bubble.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestFirstTrialOneMinuteAfterTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &importer{trial: success}
		imports, registry, _ := startImports(t, i, 6*time.Hour)
		pass(59 * time.Second)
		if i.count() != 0 {
			t.Error("a trial before its time")
		}
		pass(2 * time.Second)
		if i.count() != 1 {
			t.Errorf("%d trials after a minute", i.count())
		}
		var s status.Snapshot
		imports.Fill(&s)
		if len(s.Ingest.Trials) != 1 || s.Ingest.Trials[0].Means == nil || s.Ingest.LastSuccess == nil {
			t.Errorf("picture: %+v", s.Ingest)
		}
		if n, err := testutil.GatherAndCount(registry, "columnstore_up"); err != nil || n != 1 {
			t.Errorf("%d series of columnstore_up, %v", n, err)
		}
		pass(12 * time.Hour)
		if n := i.count(); n < 2 || n > 3 {
			t.Errorf("%d trials in 12 hours at an interval of six", n)
		}
	})
}

func TestRestartDoesNotImport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &importer{trial: success, last: time.Now().Add(-time.Hour)}
		startImports(t, i, 6*time.Hour)
		pass(10 * time.Minute)
		if grid := 6*time.Hour - time.Hour; i.count() != 0 && time.Since(i.runs[0]) < grid {
			t.Errorf("%d trials within the interval of the last one", i.count())
		}
	})
}

func TestIntervalZeroRunsOnDemandOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &importer{trial: success}
		imports, _, _ := startImports(t, i, 0)
		pass(30 * 24 * time.Hour)
		if i.count() != 0 {
			t.Errorf("%d trials though they are off", i.count())
		}
		imports.Trigger()
		pass(time.Second)
		if i.count() != 1 {
			t.Errorf("%d trials after one was asked for", i.count())
		}
	})
}

func TestSkipsAndFailuresAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &importer{trial: func(context.Context) (*ingest.Trial, *ingest.Skip) {
			return nil, &ingest.Skip{Reason: outcome.SkipLocked, Detail: "table t1 is locked"}
		}}
		imports, _, _ := startImports(t, i, 0)
		imports.Trigger()
		pass(time.Second)
		i.trial = func(context.Context) (*ingest.Trial, *ingest.Skip) {
			return &ingest.Trial{Method: ingest.MethodLoadData, Failure: outcome.SQL, Error: "gone away"}, nil
		}
		imports.Trigger()
		pass(time.Second)
		var s status.Snapshot
		imports.Fill(&s)
		if s.Ingest.Skipped["locked"] != 1 || s.Ingest.Failed["sql"] != 1 || s.Ingest.LastSuccess != nil {
			t.Errorf("picture: %+v", s.Ingest)
		}
		if s.Ingest.Trials[0].Means != nil {
			t.Error("LOAD DATA tells nothing of the latencies that cpimport pays")
		}
	})
}

func TestTrialsThatAreDueDuringAnotherAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &importer{trial: func(ctx context.Context) (*ingest.Trial, *ingest.Skip) {
			time.Sleep(150 * time.Minute)
			return success(ctx)
		}}
		imports, _, _ := startImports(t, i, time.Hour)
		pass(3 * time.Hour)
		var s status.Snapshot
		imports.Fill(&s)
		if missed := s.Ingest.Skipped["in_flight"]; missed < 1 || missed > 2 || len(s.Ingest.Trials) != 1 {
			t.Errorf("%d trials missed, %d ended", missed, len(s.Ingest.Trials))
		}
		pass(3 * time.Hour) // for the one under way
	})
}

func TestTrialWaitsForTheLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &importer{trial: success}
		imports, _, lane := startImports(t, i, 0)
		release, _ := lane.TryAcquire("throughput")
		imports.Trigger()
		pass(time.Minute)
		if i.count() != 0 {
			t.Error("a trial beside other heavy work")
		}
		release()
		pass(time.Second)
		if i.count() != 1 {
			t.Error("the trial was forgotten")
		}
	})
}

var data = topology.Target{DBRoot: "1", Kind: topology.KindDBRoot, Directory: "/srv/data1"}

// node is the directories, streams and devices of a scripted node.
type node struct {
	busy      float64
	importing bool
	outcome   throughput.Outcome
	hangs     bool
	runs      int
}

func (n *node) Visit(_ context.Context, _ time.Duration, visit func(topology.Target, topology.Facts), _ func(topology.Target, reason.Skip)) {
	visit(data, topology.Facts{State: topology.StatePresent, Device: "sda1"})
}

func (n *node) Throughput(ctx context.Context, _ topology.Target, _ topology.Facts, _ throughput.Spec, _ func(throughput.Test, time.Duration, int64)) (throughput.Outcome, error) {
	n.runs++
	if n.hangs {
		<-ctx.Done()
		return throughput.Outcome{}, ctx.Err()
	}
	return n.outcome, nil
}

func startThroughput(t *testing.T, n *node) (*trials.Throughput, *prometheus.Registry, *schedule.Lane) {
	t.Helper()
	registry, lane := prometheus.NewPedanticRegistry(), schedule.NewLane()
	series := metrics.NewThroughput(registry, time.Hour)
	series.Add(data)
	tests := trials.NewThroughput(trials.ThroughputOptions{
		Directories: n, Streams: n, Metrics: series, Restarted: func(string) {}, Lane: lane, Interval: time.Hour, Log: zap.NewNop(),
		Utilization: func(context.Context, string, time.Duration) (float64, error) { return n.busy, nil },
		Importing:   func() (bool, error) { return n.importing, nil },
		Spec:        throughput.Spec{Host: "node", Tests: throughput.Tests(), Duration: 10 * time.Second},
	})
	if err := tests.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tests.Stop(time.Second) })
	return tests, registry, lane
}

func TestThroughputRunsOnItsIntervalUnlessItDisturbs(t *testing.T) {
	cases := map[string]struct {
		node *node
		lane string // who holds it
		skip string // empty: the tests run
	}{
		"idle":           {node: &node{outcome: throughput.Outcome{Tests: []throughput.Result{{Test: throughput.Write, Seconds: 1, Threads: 1, WrittenBytes: 1e9}}}}},
		"busy device":    {node: &node{busy: 0.6}, skip: "busy"},
		"foreign import": {node: &node{importing: true}, skip: "import"},
		"own import":     {node: &node{}, lane: "import", skip: "import"},
		"no space":       {node: &node{outcome: throughput.Outcome{Skip: "disk_space"}}, skip: "disk_space"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tests, registry, lane := startThroughput(t, c.node)
				if c.lane != "" {
					release, _ := lane.TryAcquire(c.lane)
					defer release()
				}
				pass(time.Hour)
				var s status.Snapshot
				s.Targets = []status.Target{{Target: data}}
				tests.Fill(&s)
				if ran := s.Targets[0].Throughput != nil; ran != (c.skip == "") {
					t.Errorf("ran: %v", ran)
				}
				if got := skips(t, registry, c.skip); got != 1 {
					t.Errorf("%v runs skipped as %q", got, c.skip)
				}
			})
		})
	}
}

// skips returns how often runs were skipped for the reason; 1 for no reason, when no run was skipped.
func skips(t *testing.T, g prometheus.Gatherer, why string) float64 {
	t.Helper()
	families, err := g.Gather()
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for _, f := range families {
		if f.GetName() != "columnstore_throughput_skipped_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetName() == "reason" && (why == "" || l.GetValue() == why) {
					total += m.GetCounter().GetValue()
				}
			}
		}
	}
	if why == "" {
		return 1 - total
	}
	return total
}

func TestHungThroughputLetsGoOfTheLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &node{hangs: true}
		_, _, lane := startThroughput(t, n)
		pass(time.Hour)
		pass(10 * time.Minute)
		if holder, busy := lane.Busy(); busy || n.runs == 0 {
			t.Errorf("lane held by %q, %d runs", holder, n.runs)
		}
	})
}
