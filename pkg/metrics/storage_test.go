package metrics_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/metrics"
	"github.com/columnstore/columnstore_exporter/pkg/metrics/gather"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// idle answers for a directory with no operation under way.
func idle() (string, time.Time, bool) { return "", time.Time{}, false }

var (
	ended    = time.Unix(1_800_000_000, 0)
	settings = metrics.StorageSettings{Interval: time.Minute, RequestInterval: time.Second, LatencyTarget: 700 * time.Microsecond}
	dbroot   = topology.Target{DBRoot: "1", Kind: topology.KindDBRoot, Directory: "/srv/data1"}
)

func newStorage(t *testing.T) (*prometheus.Registry, *metrics.Storage) {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	return r, metrics.NewStorage(r, settings)
}

// run is a run of one warm-up, two counted reads, a failed one and a commit.
func run(d *metrics.Directory) {
	d.Begin()
	ratio := 1.0
	result := latency.Result{IO: "direct", DeviceRatio: &ratio}
	for _, s := range []latency.Sample{
		{Op: latency.Read, Latency: time.Second, WarmUp: true},
		{Op: latency.Read, Latency: 300 * time.Microsecond},
		{Op: latency.Read, Latency: 500 * time.Microsecond, Lag: 11 * time.Millisecond},
		{Op: latency.Read, Latency: time.Millisecond, Reason: reason.EIO},
		{Op: latency.Commit, Latency: 2 * time.Millisecond},
	} {
		d.Sample(s)
		switch {
		case s.WarmUp || s.Reason != "":
		case s.Op == latency.Read:
			result.Read.Add(s.Latency)
		default:
			result.Commit.Add(s.Latency)
		}
	}
	d.Result(result, true, ended)
}

func TestStorageExposition(t *testing.T) {
	registry, storage := newStorage(t)
	busy := func() (string, time.Time, bool) { return "read", ended, true }
	d := storage.Add(dbroot, busy)
	d.Facts(topology.Facts{State: topology.StatePresent, FSType: "xfs", Source: "/dev/sdb1", Device: "sdb1", Mountpoint: "/srv"})
	run(d)

	compareGolden(t, "testdata/storage.prom", expose(t, registry))
	lint(t, registry)
}

// The set of states is closed: what cannot be inspected has none.
func TestAnUninspectedDirectoryHasNoState(t *testing.T) {
	for name, state := range map[string]topology.State{"not inspected yet": "", "cannot be inspected": topology.StateUnknown} {
		t.Run(name, func(t *testing.T) {
			registry, storage := newStorage(t)
			storage.Add(dbroot, idle).Facts(topology.Facts{State: state})
			if text := expose(t, registry); !strings.Contains(text, `network="",source="",state=""} 1`) {
				t.Errorf("no info without a state in\n%s", text)
			}
		})
	}
}

func TestCountersStartAtZeroAndResultsAbsent(t *testing.T) {
	registry, storage := newStorage(t)
	storage.Add(dbroot, idle)

	for name, want := range map[string]int{
		"columnstore_storage_read_failures_total":               len(reason.All()),
		"columnstore_storage_commit_failures_total":             len(reason.All()),
		"columnstore_storage_runs_skipped_total":                len(reason.LatencySkips()),
		"columnstore_storage_runs_total":                        1,
		"columnstore_storage_read_requests_total":               1,
		"columnstore_storage_read_late_total":                   1,
		"columnstore_storage_read_latency_seconds":              1,
		"columnstore_storage_in_flight_start_timestamp_seconds": 1,
		"columnstore_storage_success":                           0,
		"columnstore_storage_read_run_avg_seconds":              0,
		"columnstore_storage_read_device_ratio":                 0,
		"columnstore_storage_last_success_timestamp_seconds":    0,
	} {
		got, err := testutil.GatherAndCount(registry, name)
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s has %d series, want %d", name, got, want)
		}
	}
}

func TestAbsentDirectoryHasNoResult(t *testing.T) {
	registry, storage := newStorage(t)
	d := storage.Add(dbroot, idle)
	run(d)
	d.Skip("absent")

	for _, name := range []string{"columnstore_storage_success", "columnstore_storage_read_run_avg_seconds", "columnstore_storage_read_device_ratio"} {
		if got, _ := testutil.GatherAndCount(registry, name); got != 0 {
			t.Errorf("%s is still there", name)
		}
	}
	want := "columnstore_storage_runs_skipped_total{dbroot=\"1\",directory=\"/srv/data1\",kind=\"dbroot\",reason=\"absent\"} 1"
	if text := expose(t, registry); !strings.Contains(text, want) {
		t.Errorf("no line %s", want)
	}
}

func TestRemoveDropsEverySeries(t *testing.T) {
	registry, storage := newStorage(t)
	before := expose(t, registry)
	d := storage.Add(dbroot, idle)
	run(d)
	storage.Remove(d)
	run(d) // which was under way
	d.Skip("in_flight")
	if after := expose(t, registry); after != before {
		t.Errorf("left over:\n%s", after)
	}
}

func TestRequestsNeverFall(t *testing.T) {
	registry, storage := newStorage(t)
	inFlight := true
	storage.Add(dbroot, func() (string, time.Time, bool) { return "read", ended, inFlight })
	const line = "columnstore_storage_read_requests_total{dbroot=\"1\",directory=\"/srv/data1\",kind=\"dbroot\"} 1\n"
	if text := expose(t, registry); !strings.Contains(text, line) {
		t.Errorf("a read in flight must count as started:\n%s", text)
	}
	inFlight = false // its worker died: it never finishes
	if text := expose(t, registry); !strings.Contains(text, line) {
		t.Errorf("the counter must not fall:\n%s", text)
	}
}

func TestHostilePathIsValidUTF8(t *testing.T) {
	registry, storage := newStorage(t)
	hostile := dbroot
	hostile.Directory = "/srv/\xff\"\n"
	d := storage.Add(hostile, idle)
	run(d)
	if text := expose(t, registry); !strings.Contains(text, `directory="/srv/�\"\n"`) {
		t.Errorf("path is not shown:\n%s", text)
	}
}

func TestSampleDoesNotAllocate(t *testing.T) {
	_, storage := newStorage(t)
	d := storage.Add(dbroot, idle)
	s := latency.Sample{Op: latency.Read, Latency: 321 * time.Microsecond}
	d.Sample(s)
	if n := testing.AllocsPerRun(1000, func() { d.Sample(s) }); n != 0 {
		t.Errorf("%v allocations for a sample", n)
	}
}

// TestSampleCostsAFewObservations compares within one run, by the fastest of many: others may use the machine.
func TestSampleCostsAFewObservations(t *testing.T) {
	_, storage := newStorage(t)
	d := storage.Add(dbroot, idle)
	histogram := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "h_seconds", Help: "As a latency's.", Buckets: prometheus.ExponentialBuckets(50e-6, 1.6, 28), NativeHistogramBucketFactor: 1.1,
	})
	s := latency.Sample{Op: latency.Read, Latency: 321 * time.Microsecond}
	sample := testbed.Fastest(200, func() { d.Sample(s) })
	observation := testbed.Fastest(200, func() { histogram.Observe(321e-6) })
	if sample > 8*observation {
		t.Errorf("a sample takes %v, an observation %v", sample, observation)
	}
}

// BenchmarkSample is what a sample costs the daemon.
func BenchmarkSample(b *testing.B) {
	storage := metrics.NewStorage(prometheus.NewRegistry(), settings)
	d := storage.Add(dbroot, idle)
	s := latency.Sample{Op: latency.Read, Latency: 321 * time.Microsecond}
	b.ReportAllocs()
	for b.Loop() {
		d.Sample(s)
	}
}

// BenchmarkGather is what a scrape costs before it is written, by directories.
func BenchmarkGather(b *testing.B) {
	for _, n := range []int{8, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			registry := gather.NewRegistry()
			storage, streams := metrics.NewStorage(registry, settings), metrics.NewThroughput(registry, 0)
			for i := range n {
				target := dbroot
				target.DBRoot = strconv.Itoa(i)
				run(storage.Add(target, idle))
				streams.Add(target)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := registry.Gather(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
