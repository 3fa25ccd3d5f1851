package metrics_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/metrics"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// lint fails the test where Prometheus's linter has anything to say.
func lint(t *testing.T, r prometheus.Gatherer) {
	t.Helper()
	problems, err := testutil.GatherAndLint(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("lint: %s: %s", p.Metric, p.Text)
	}
}

func TestIngestExposition(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	i := metrics.NewIngest(registry, 6*time.Hour)
	i.InFlight(ended)
	i.InFlight(time.Time{})
	i.Trial(ingest.Trial{
		Method: ingest.MethodCpimport, Seconds: 12.5, Rows: 10_000, Bytes: 16_000_000, TableRows: 20_000,
		Steps: map[string]float64{"job_load": 0.1, "preprocess": 8, "load": 4, "total": 12.1},
	}, ended)
	i.Trial(ingest.Trial{Method: ingest.MethodCpimport, Failure: outcome.Locked}, ended.Add(time.Hour))
	i.Skip(outcome.SkipReadOnly)
	metrics.NewBulkRollback(registry).Entries("1", 2)
	compareGolden(t, "testdata/ingest.prom", expose(t, registry))
	lint(t, registry)
}

func TestDatabaseIsAbsentUntilItAnswers(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	d := metrics.NewDatabase(registry)
	if text := expose(t, registry); text != "" {
		t.Errorf("before the first question:\n%s", text)
	}
	yes, suspended, locks := true, 1, 3
	d.Publish(ingest.Database{Up: true, Ready: &yes, ReadOnly: &suspended, Primary: &yes, TableLocks: &locks, TableLocked: &yes})
	compareGolden(t, "testdata/database.prom", expose(t, registry))
	lint(t, registry)
	d.Publish(ingest.Database{})
	if text := samples(expose(t, registry)); text != "columnstore_up 0\n" {
		t.Errorf("when the server is away:\n%s", text)
	}
}

func TestThroughputExposition(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	s := metrics.NewThroughput(registry, time.Hour)
	s.Add(dbroot)
	s.Begin(dbroot)
	s.Outcome(dbroot, throughput.Outcome{Tests: []throughput.Result{
		{
			Test: throughput.Rewrite, Seconds: 2, Threads: 4, ReadBytes: 400e6, WrittenBytes: 200e6, CPU: 0.25, IOWait: 0.5, CRC: 0.125,
			Device: &iostat.Device{
				Read:        &iostat.Direction{RequestsPerSecond: 400, RequestBytes: 524288, AwaitSeconds: 0.002, MergedRatio: 0.5},
				QueueLength: 3, Utilization: 0.75, MaximumRequestBytes: 1 << 20,
			},
			NFS: &iostat.NFS{Write: &iostat.Calls{RTTSeconds: 0.001, ExecuteSeconds: 0.003, QueueSeconds: 0.002, Retransmissions: 1}},
		},
		{Test: throughput.SkipRead, Seconds: 2, Threads: 4, ReadBytes: 8e6, Seeks: 8},
	}}, ended)
	s.Skip(dbroot, "busy")
	s.SkipAll("import")
	compareGolden(t, "testdata/throughput.prom", expose(t, registry))
	lint(t, registry)

	s.Outcome(dbroot, throughput.Outcome{Tests: []throughput.Result{{Test: throughput.Write, Failure: reason.ENOSPC}}}, ended.Add(time.Hour))
	text := expose(t, registry)
	for _, line := range []string{
		`columnstore_throughput_failures_total{dbroot="1",directory="/srv/data1",kind="dbroot",reason="enospc"} 1`,
		`columnstore_throughput_last_success_timestamp_seconds{dbroot="1",directory="/srv/data1",kind="dbroot"} 1.8e+09`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	s.Remove(dbroot)
	s.Begin(dbroot) // a run that was under way
	s.Skip(dbroot, "busy")
	s.Outcome(dbroot, throughput.Outcome{Failure: reason.EIO}, ended)
	if text := expose(t, registry); strings.Contains(text, "/srv/data1") {
		t.Errorf("left over:\n%s", text)
	}
}

func TestBaselineExposition(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	b := metrics.NewBaseline(registry, baseline.Published())
	b.Publish(nil, &baseline.Forecast{})
	if text := expose(t, registry); strings.Contains(text, "columnstore_storage_layout") || strings.Contains(text, "predicted") {
		t.Errorf("before a measurement:\n%s", text)
	}
	b.Publish(&baseline.Match{Layout: "nfs_ha"}, &baseline.Forecast{Predictions: []baseline.Prediction{{Scenario: baseline.Now, Seconds: 30.5}}})
	compareGolden(t, "testdata/baseline.prom", expose(t, registry))
	lint(t, registry)
}

// samples are the lines of a text exposition that are no comments.
func samples(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}
