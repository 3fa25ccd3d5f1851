//go:build linux

// Package busynode is a node on which everything happens that the exporter has a metric for: what dashboards and documents
// are held to.
package busynode

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/version"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/metrics"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// Node is what the exporter publishes, on a node where something of everything happens between two scrapes.
type Node struct {
	*prometheus.Registry

	targets      []topology.Target
	directories  []*metrics.Directory
	ingest       *metrics.Ingest
	throughput   *metrics.Throughput
	exporter     *metrics.Exporter
	workerDeaths uint64
}

// New returns a node of version 1.2.3 with two DBroots, a bulkRollback directory and another directory.
func New() *Node {
	version.Version = "1.2.3" // as a release has it
	r := prometheus.NewPedanticRegistry()
	n := &Node{Registry: r, ingest: metrics.NewIngest(r, 6*time.Hour), throughput: metrics.NewThroughput(r, 24*time.Hour)}
	n.exporter = metrics.NewExporter(r, func() int { return 3 }, func() uint64 { return n.workerDeaths }, []string{"discovery"})
	n.exporter.RegisterOverhead(r, 300*time.Nanosecond)
	n.ingest.InFlight(time.Now())
	metrics.NewBulkRollback(r).Entries("1", 2)
	metrics.NewDatabase(r).Publish(ingest.Database{
		Up: true, ColumnStore: true, Ready: new(true), Primary: new(true), ReadOnly: new(0),
		TableLocks: new(1), TableLocked: new(false),
	})
	metrics.NewBaseline(r, baseline.Published()).Publish(
		&baseline.Match{Layout: baseline.NFSHA},
		&baseline.Forecast{Predictions: []baseline.Prediction{{Scenario: baseline.Now, Seconds: 30.5}, {Scenario: baseline.AllLocal, Seconds: 5.5}}},
	)
	n.addDirectories()
	return n
}

func (n *Node) addDirectories() {
	storage := metrics.NewStorage(n, metrics.StorageSettings{
		Interval: time.Minute, RequestInterval: time.Second, LatencyTarget: 700 * time.Microsecond,
	})
	reading := func() (string, time.Time, bool) { return "read", time.Now().Add(-time.Millisecond), true }
	n.targets = []topology.Target{
		{DBRoot: "1", Kind: topology.KindDBRoot, Directory: "/srv/data1"},
		{DBRoot: "1", Kind: topology.KindBulkRollback, Directory: "/srv/data1/bulkRollback"},
		{DBRoot: "2", Kind: topology.KindDBRoot, Directory: "/srv/data2"},
		{Kind: topology.KindExtra, Name: "candidate", Directory: "/mnt/candidate"},
	}
	for _, target := range n.targets {
		d := storage.Add(target, reading)
		d.Facts(topology.Facts{State: topology.StatePresent, FSType: "nfs4", Source: "nas:/srv", Mountpoint: "/srv", Network: "nfs4"})
		n.directories = append(n.directories, d)
		n.throughput.Add(target)
	}
}

// Gather is a scrape: it lets happen what happens between two scrapes.
func (n *Node) Gather() ([]*dto.MetricFamily, error) {
	n.workerDeaths++
	n.exporter.JobRestarted("discovery")
	n.exporter.Lag(time.Millisecond)
	n.ingest.Trial(ingest.Trial{
		Method: ingest.MethodCpimport, Seconds: 30.1, Rows: 10_000, Bytes: 20_000_000, TableRows: 30_000,
		Steps: map[string]float64{"job_load": 0.5, "preprocess": 19, "load": 10, "total": 29.5},
	}, time.Now())
	n.ingest.Trial(ingest.Trial{Method: ingest.MethodCpimport, Failure: outcome.Locked}, time.Now())
	n.ingest.Skip(outcome.SkipReadOnly)
	for _, d := range n.directories {
		run(d)
	}
	for _, target := range n.targets {
		n.throughput.Begin(target)
		n.throughput.Outcome(target, throughput.Outcome{Tests: tests()}, time.Now())
		n.throughput.Outcome(target, throughput.Outcome{Failure: reason.ENOSPC}, time.Now())
		n.throughput.Skip(target, reason.SkipBusy)
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
	d.Skip(reason.SkipTrial)
}

// tests are the results of all throughput tests.
func tests() []throughput.Result {
	var all []throughput.Result
	for _, test := range throughput.Tests() {
		all = append(all, throughput.Result{
			Test: test, Seconds: 10, Threads: 4, CPU: 0.2, IOWait: 0.7, CRC: 0.05, Seeks: 8000,
			ReadBytes: 1e9, WrittenBytes: 1e9, // every test in both directions is more than there is, and does no harm
			Device: &iostat.Device{
				Read:        &iostat.Direction{RequestsPerSecond: 240, RequestBytes: 512 << 10, AwaitSeconds: 0.004, MergedRatio: 0.1},
				QueueLength: 3.5, Utilization: 0.95, MaximumRequestBytes: 512 << 10,
			},
			NFS: &iostat.NFS{Write: &iostat.Calls{RTTSeconds: 0.003, ExecuteSeconds: 0.004, QueueSeconds: 0.001, Retransmissions: 1}},
		})
	}
	return all
}
