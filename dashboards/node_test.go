package dashboards_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/common/version"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/metrics"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// node is an exporter with all series that there are, in which something of everything happens whenever it is looked at.
type node struct {
	*prometheus.Registry

	directories  []*metrics.Directory
	ingest       *metrics.Ingest
	exporter     *metrics.Exporter
	workerDeaths uint64
}

func newNode(t *testing.T) *node {
	t.Helper()
	version.Version = "1.2.3" // as a build for release has it
	n := &node{Registry: prometheus.NewPedanticRegistry()}
	n.exporter = metrics.NewExporter(n, func() int { return 3 }, func() uint64 { return n.workerDeaths }, []string{"discovery"})
	n.exporter.RegisterOverhead(n, 300*time.Nanosecond)
	n.ingest = metrics.NewIngest(n, 6*time.Hour)
	n.ingest.InFlight(time.Now())
	metrics.NewBulkRollback(n).Entries("1", 2)
	metrics.NewDatabase(n).Publish(ingest.Database{
		Up: true, ColumnStore: true, Ready: new(true), Primary: new(true), ReadOnly: new(0),
		TableLocks: new(1), TableLocked: new(false),
	})
	n.MustRegister(&recorded{families: readFamilies(t, "testdata/node.prom")})
	n.addDirectories()
	return n
}

func (n *node) addDirectories() {
	storage := metrics.NewStorage(n, metrics.StorageSettings{
		Interval: time.Minute, RequestInterval: time.Second, LatencyTarget: 700 * time.Microsecond,
	})
	reading := func() (string, time.Time, bool) { return "read", time.Now().Add(-time.Millisecond), true }
	for _, target := range []topology.Target{
		{DBRoot: "1", Kind: topology.KindDBRoot, Directory: "/srv/data1"},
		{DBRoot: "1", Kind: topology.KindBulkRollback, Directory: "/srv/data1/bulkRollback"},
		{DBRoot: "2", Kind: topology.KindDBRoot, Directory: "/srv/data2"},
		{Kind: topology.KindExtra, Name: "candidate", Directory: "/mnt/candidate"},
	} {
		d := storage.Add(target, reading)
		d.Facts(topology.Facts{State: topology.StatePresent, FSType: "nfs4", Source: "nas:/srv", Mountpoint: "/srv", Network: "nfs4"})
		n.directories = append(n.directories, d)
	}
}

// Gather lets happen what happens between two scrapes.
func (n *node) Gather() ([]*dto.MetricFamily, error) {
	n.workerDeaths++
	n.exporter.JobRestarted("discovery")
	n.exporter.Lag(time.Millisecond)
	n.ingest.Trial(ingest.Trial{
		Method: "cpimport", Seconds: 30.1, Rows: 10_000, Bytes: 20_000_000, TableRows: 30_000,
		Steps: map[string]float64{"job_load": 0.5, "preprocess": 19, "load": 10, "total": 29.5},
	}, time.Now())
	n.ingest.Trial(ingest.Trial{Method: "cpimport", Failure: outcome.Failures()[0]}, time.Now())
	n.ingest.Skip(outcome.Skips()[0])
	for _, d := range n.directories {
		run(d)
	}
	return n.Registry.Gather()
}

// run is a run with a late read, a failed read and a failed commit, and another that is skipped.
func run(d *metrics.Directory) {
	d.Begin()
	result := latency.Result{IO: "direct", DeviceRatio: new(1.0)}
	for _, s := range []latency.Sample{
		{Op: latency.Read, Latency: 500 * time.Microsecond, Lag: 11 * time.Millisecond},
		{Op: latency.Read, Latency: 3 * time.Millisecond},
		{Op: latency.Read, Reason: reason.EIO},
		{Op: latency.Commit, Latency: 2 * time.Millisecond},
		{Op: latency.Commit, Reason: reason.EIO},
	} {
		d.Sample(s)
	}
	result.Read.Add(500 * time.Microsecond)
	result.Read.Add(3 * time.Millisecond)
	result.Commit.Add(2 * time.Millisecond)
	d.Result(result, true, time.Now())
	d.Skip("trial")
}

// recorded plays series from a file: counters grow by their value at each scrape, timestamps stay as long ago.
type recorded struct {
	families map[string]*dto.MetricFamily
	scrapes  float64
}

func readFamilies(t *testing.T, file string) map[string]*dto.MetricFamily {
	t.Helper()
	reader, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(reader)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return families
}

// Describe makes r an unchecked collector.
func (*recorded) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (r *recorded) Collect(ch chan<- prometheus.Metric) {
	r.scrapes++
	for name, family := range r.families {
		for _, m := range family.GetMetric() {
			kind, value := prometheus.GaugeValue, m.GetGauge().GetValue()
			switch {
			case family.GetType() == dto.MetricType_COUNTER:
				kind, value = prometheus.CounterValue, r.scrapes*m.GetCounter().GetValue()
			case strings.HasSuffix(name, "_timestamp_seconds"):
				value = float64(time.Now().Unix()) - value
			}
			labels := make(prometheus.Labels)
			for _, pair := range m.GetLabel() {
				labels[pair.GetName()] = pair.GetValue()
			}
			ch <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, "", nil, labels), kind, value)
		}
	}
}
