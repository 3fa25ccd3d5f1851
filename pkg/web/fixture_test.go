package web_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// noon is when the snapshots of the tests were taken.
var noon = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

// node returns the snapshot of a node with so many directories that has run for a day. With three or more, bulkRollback
// on NFS is slow and an extra directory would be faster; with more, the last DBroot hangs, and one bulkRollback is absent.
func node(directories int) status.Snapshot {
	random := rand.New(rand.NewPCG(1, uint64(directories)))
	s := status.Snapshot{
		Time: noon, Started: noon.Add(-26 * time.Hour), Host: "db-2.example", Module: "pm2", Version: "0.1.0", Ready: true, Workers: 3,
		Settings: status.Settings{
			LatencyTargetSeconds: 700e-6, IntervalSeconds: 60, RequestIntervalSeconds: 1,
			RequestSizeBytes: 4096, WorkingSetBytes: 1 << 20, Count: 30, Commits: 5,
		},
	}
	for i := range directories {
		s.Targets = append(s.Targets, directory(i, directories, random))
	}
	if directories > 3 {
		s.Targets[directories-3] = absent(s.Targets[directories-3].Target)
		hang(&s.Targets[directories-2])
	}
	if directories > 0 {
		s.Ignored = []topology.Ignored{{
			Element: "WriteEngine/BulkRollbackDir", Value: "/var/lib/columnstore/data1/systemFiles/bulkRollback",
			Reason: "cpimport uses bulkRollback in each DBroot, whatever this element says",
		}}
		s.Ingest = trials(s.Targets[0].Read.Avg, random)
	}
	return s.Assess(baseline.Published(), "")
}

// directory is the i-th of n: DBroots, each followed by its bulkRollback, and last an extra where there are three or more.
func directory(i, n int, random *rand.Rand) status.Target {
	root := strconv.Itoa(i/2 + 1)
	at := topology.Target{DBRoot: root, Kind: topology.KindDBRoot, Directory: "/var/lib/columnstore/data" + root}
	mean := 3.3e-3
	facts := topology.Facts{State: topology.StatePresent, FSType: "nfs4", Network: "nfs4", Source: "nas.example:/columnstore/data" + root, Mountpoint: at.Directory}
	switch {
	case n == 1:
		mean = 452e-6
		facts = topology.Facts{State: topology.StatePresent, FSType: "xfs", Source: "/dev/sdb1", Device: "sdb1", Mountpoint: at.Directory}
	case n >= 3 && i == n-1:
		at = topology.Target{Kind: topology.KindExtra, Name: "nvme", Directory: "/srv/nvme/candidate"}
		mean = 240e-6
		facts = topology.Facts{State: topology.StatePresent, FSType: "ext4", Source: "/dev/mapper/vg0-candidate", Device: "dm-3", Mountpoint: "/srv/nvme"}
	case i%2 == 1:
		at.Kind, at.Directory = topology.KindBulkRollback, at.Directory+"/bulkRollback"
	}
	t := status.Target{
		Target: at, Facts: facts, Success: new(true), LastSuccess: new(noon.Add(-22 * time.Second)), IO: "direct", DeviceRatio: new(1.0),
		Runs: 1563, Skipped: map[string]uint64{"trial": 4, "in_flight": 0}, Failed: map[string]uint64{"eio": 0},
	}
	measure(&t, mean, random)
	if at.Kind == topology.KindExtra || n == 1 {
		t.Throughput = rates(random)
	}
	return t
}

func measure(t *status.Target, mean float64, random *rand.Rand) {
	for range 10 * 29 {
		t.Recent = append(t.Recent, mean*math.Exp(0.16*random.NormFloat64()))
	}
	t.Recent[100] *= 6
	run := status.Run{Ended: noon.Add(-22 * time.Second), Count: 29, Min: math.Inf(1), Elapsed: 29}
	var squares float64
	for _, x := range t.Recent[:29] {
		run.Min, run.Max, run.Avg, squares = min(run.Min, x), max(run.Max, x), run.Avg+x/29, squares+x*x/29
	}
	run.Mdev = math.Sqrt(squares - run.Avg*run.Avg)
	t.Read = &run
	t.Commit = &status.Run{Ended: run.Ended, Count: 5, Min: 2.1 * mean, Avg: 2.6 * mean, Max: 3.4 * mean, Mdev: 0.4 * mean, Elapsed: 5}
	for minute := range 24 * 60 {
		if minute > 500 && minute < 560 {
			continue
		}
		level := mean * (1 + 0.25*math.Sin(float64(minute)/220)) * math.Exp(0.05*random.NormFloat64())
		t.History = append(t.History, status.Point{Time: noon.Add(time.Duration(minute-24*60) * time.Minute), Avg: level})
	}
	t.History = append(t.History, status.Point{Time: run.Ended, Avg: run.Avg})
}

func rates(random *rand.Rand) *status.Throughput {
	run := status.Throughput{Ended: noon.Add(-3 * time.Hour)}
	for test, rate := range map[throughput.Test]float64{throughput.Write: 31e6, throughput.Overwrite: 88e6, throughput.ReadTest: 212e6} {
		result := throughput.Result{Test: test, Seconds: 10, Threads: 4, IO: "direct"}
		bytes := int64(rate * 40 * (1 + 0.05*random.Float64()))
		if test == throughput.ReadTest {
			result.ReadBytes = bytes
		} else {
			result.WrittenBytes = bytes
		}
		run.Results = append(run.Results, result)
	}
	run.Results = append(run.Results, throughput.Result{Test: throughput.Rewrite, Seconds: 10, Threads: 4, ReadBytes: 17e6 * 40, WrittenBytes: 17e6 * 40})
	return &run
}

// hang lets the target's last read not come back, half an hour ago.
func hang(t *status.Target) {
	since := noon.Add(-31 * time.Minute)
	t.InFlight = &status.Operation{Name: "read", Since: since}
	t.LastSuccess, t.Read.Ended = &since, since
	t.Skipped = map[string]uint64{"in_flight": 30, "trial": 4}
	t.History = t.History[:len(t.History)-32]
}

func absent(at topology.Target) status.Target {
	return status.Target{Target: at, Facts: topology.Facts{State: topology.StateAbsent}, Skipped: map[string]uint64{"absent": 1563}}
}

// trials took what the published counts of latencies give for the mean, and 2 s.
func trials(mean float64, random *rand.Rand) *status.Ingest {
	in := &status.Ingest{
		IntervalSeconds: 6 * 3600, LastSuccess: new(noon.Add(-90 * time.Minute)),
		Skipped: map[string]uint64{"other_import": 2}, Failed: map[string]uint64{"locked": 1},
	}
	for i := range 17 {
		trial := status.Trial{Trial: ingest.Trial{
			Method: "cpimport", Started: noon.Add(time.Duration(i-16)*6*time.Hour - 90*time.Minute),
			Seconds: (2 + 8772*mean) * math.Exp(0.05*random.NormFloat64()), Rows: 10000, Bytes: 16 << 20,
		}}
		trial.Means = &baseline.Means{DBRoot: mean, BulkRollback: mean, Complete: true}
		if i == 9 {
			trial.Failure, trial.Error = "locked", "table cptest is locked by cpimport, pid 4711"
		}
		in.Trials = append(in.Trials, trial)
	}
	return in
}
