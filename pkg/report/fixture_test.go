package report_test

import (
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/report"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// noon is when the pictures of the tests were taken.
var noon = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

func picture(targets ...status.Target) status.Snapshot {
	return status.Snapshot{
		Time: noon, Started: noon.Add(-35 * time.Second), Host: "db-2", Version: "0.1.0", Module: "pm2",
		Settings: status.Settings{
			LatencyTargetSeconds: 700e-6, IntervalSeconds: 60, RequestIntervalSeconds: 1,
			RequestSizeBytes: 4096, WorkingSetBytes: 1 << 20, Count: 30, Commits: 5,
		},
		Targets: targets,
	}
}

// assessed is the report of a picture, as check makes it.
func assessed(s status.Snapshot) report.Report {
	return report.New(s.Assess(baseline.Published(), ""), false)
}

func dbroot(number string) status.Target {
	return status.Target{
		Skipped: map[string]uint64{}, Failed: map[string]uint64{},
		Target: topology.Target{DBRoot: number, Kind: topology.KindDBRoot, Directory: "/var/lib/columnstore/data" + number},
		Facts:  topology.Facts{State: topology.StatePresent, FSType: "nfs4", Network: "nfs4", Source: "nas:/data" + number, Mountpoint: "/var/lib/columnstore/data" + number},
	}
}

func rollback(number string) status.Target {
	t := dbroot(number)
	t.Kind, t.Directory = topology.KindBulkRollback, t.Directory+"/bulkRollback"
	return t
}

func extra(name, directory string) status.Target {
	return status.Target{
		Skipped: map[string]uint64{}, Failed: map[string]uint64{},
		Target: topology.Target{Kind: topology.KindExtra, Name: name, Directory: directory},
		Facts:  topology.Facts{State: topology.StatePresent, FSType: "xfs", Source: "/dev/sdb1", Device: "sdb1", Mountpoint: "/"},
	}
}

// missing is a directory that is not there and should be.
func missing(t status.Target) status.Target {
	t.Error = "open " + t.Directory + ": no such file or directory: mount or create it, or correct the argument"
	t.Facts = topology.Facts{State: topology.StateAbsent, Error: t.Error, Reason: "enoent"}
	return t
}

// answers gives a target a whole run with the figures of mean.
func answers(t status.Target, mean float64) status.Target {
	t.Success, t.LastSuccess, t.IO, t.DeviceRatio, t.Runs = new(true), new(noon), "direct", new(1.0), 1
	t.Read = run(30, 29, mean)
	t.Commit = run(5, 5, 3*mean)
	return t
}

func run(requests, count int, mean float64) *status.Run {
	return &status.Run{
		Ended: noon, Requests: requests, Count: count, Min: 0.8 * mean, Avg: mean, Max: 1.4 * mean, Mdev: 0.1 * mean, Elapsed: float64(requests - 1),
		Quantiles: &status.Quantiles{P50: 0.98 * mean, P95: 1.2 * mean, P99: 1.4 * mean},
	}
}

// onNFS is a node whose storage lies on slow NFS, with a fast volume beside it.
func onNFS() status.Snapshot {
	absent := rollback("2")
	absent.Facts.State = topology.StateAbsent
	return picture(answers(dbroot("1"), 3.3e-3), answers(rollback("1"), 3.1e-3), answers(dbroot("2"), 3.4e-3), absent, answers(extra("nvme", "/srv/nvme"), 240e-6))
}

// tested is a throughput run on a disk.
func tested() *status.Throughput {
	disk := &iostat.Device{
		Read:        &iostat.Direction{RequestsPerSecond: 402, BytesPerSecond: 205e6, RequestBytes: 512 << 10, AwaitSeconds: 1.4e-3},
		Write:       &iostat.Direction{RequestsPerSecond: 627, BytesPerSecond: 223e6, RequestBytes: 356 << 10, AwaitSeconds: 1.63e-3, MergedRatio: 0.02},
		QueueLength: 1.02, Utilization: 0.432, MaximumRequestBytes: 512 << 10,
	}
	return &status.Throughput{Ended: noon, Results: []throughput.Result{
		{Test: throughput.Write, Seconds: 10, Threads: 4, WrittenBytes: 1240e6, CPU: 0.2, IOWait: 0.75, CRC: 0.1, IO: throughput.Direct, DeviceRatio: new(1.0), Device: disk},
		{Test: throughput.Rewrite, Seconds: 10, Threads: 4, ReadBytes: 900e6, WrittenBytes: 900e6, CPU: 0.3, IOWait: 0.65, CRC: 0.2, IO: throughput.Direct, Device: disk},
		{
			Test: throughput.ReadTest, Seconds: 4, Threads: 4, ReadBytes: 2e9, CPU: 0.1, IOWait: 0.85, IO: throughput.Buffered, DeviceRatio: new(0.99), EndedEarly: throughput.EndedMaxBytes,
			NFS: &iostat.NFS{Read: &iostat.Calls{CallsPerSecond: 300, RTTSeconds: 2.1e-3, ExecuteSeconds: 2.3e-3, QueueSeconds: 1e-4, Retransmissions: 2}},
		},
		{Test: throughput.SkipRead, Seconds: 10, Threads: 4, ReadBytes: 1e9, Seeks: 1200, CPU: 0.1, IOWait: 0.85, IO: throughput.Direct, StatisticsError: "diskstats of sdb: no counters"},
	}}
}

// imported is three trials asked for, of which one was not started and one failed.
func imported() *status.Ingest {
	means := &baseline.Means{DBRoot: 3.35e-3, BulkRollback: 3.25e-3, Complete: true}
	steps := map[string]float64{"job_load": 0.1, "preprocess": 5.71, "load": 25.3, "total": 31.1}
	return &status.Ingest{
		IntervalSeconds: 21600,
		Plan:            &status.Plan{Trials: 4, Database: "columnstore_exporter", Table: "cptest", Rows: 10000, File: "/var/lib/columnstore_exporter/cptest-10000.csv"},
		Skipped:         map[string]uint64{"locked": 1, "other_import": 1}, Failed: map[string]uint64{"timeout": 1},
		SkipDetails: map[string]string{"locked": "1 table is locked", "other_import": "cpimport runs as process 4711"},
		Trials: []status.Trial{
			{Trial: ingest.Trial{Method: "cpimport", Started: noon, Seconds: 31.25, Rows: 10000, Bytes: 16 << 20, TableRows: 20000, Steps: steps}, Means: means},
			{Trial: ingest.Trial{Method: "cpimport", Started: noon, Failure: "timeout", Error: "cpimport has run for 10m0s", Warnings: []string{"column 3 was saturated"}}, Means: means},
		},
	}
}
