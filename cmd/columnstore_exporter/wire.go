//go:build linux

package main

import (
	"math"
	"os"
	"time"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/config"
	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// workerOptions start this binary again as a worker. Its environment is empty: no secret gets there.
func workerOptions(log *zap.Logger) worker.Options {
	return worker.Options{Args: []string{"worker"}, Log: log}
}

func sources(c config.Discovery) topology.Sources {
	s := topology.Sources{ColumnstoreXML: c.ColumnstoreXML, ModuleFile: c.ModuleFile}
	for _, p := range c.DBRoots {
		s.DBRoots = append(s.DBRoots, topology.NumberedPath{Number: p.Name, Path: p.Path})
	}
	for _, p := range c.Extra {
		s.Extra = append(s.Extra, topology.NamedPath{Name: p.Name, Path: p.Path})
	}
	return s
}

// latencySpec is what every run measures; the directory and its mount are filled in run by run.
func latencySpec(c config.Latency, host string) latency.Spec {
	return latency.Spec{
		Host: host, Count: c.Count, Commits: c.Commits, Interval: c.RequestInterval,
		RequestSize: int64(c.RequestSize), WorkingSet: int64(c.WorkingSet), Buffered: c.Buffered(),
	}
}

func statusSettings(c config.Latency) status.Settings {
	return status.Settings{
		LatencyTargetSeconds: c.Target.Seconds(), IntervalSeconds: c.Interval.Seconds(), RequestIntervalSeconds: c.RequestInterval.Seconds(),
		RequestSizeBytes: int64(c.RequestSize), WorkingSetBytes: int64(c.WorkingSet), Count: c.Count, Commits: c.Commits,
	}
}

// ingestOptions are the trials as configured. As the first process of a container, the end of the exporter ends its import.
func ingestOptions(c config.Settings, log *zap.Logger) ingest.Options {
	return ingest.Options{
		DSN: func() (string, error) {
			dsn, err := c.Ingest.ReadDSN()
			return dsn.Reveal(), err
		},
		StateDir: c.StateDir, Method: string(c.Ingest.Method), Database: c.Ingest.Database, Table: c.Ingest.Table,
		Engine: string(c.Ingest.Engine), Rows: int64(c.Ingest.Rows), MaxTableRows: int64(c.Ingest.MaxTableRows),
		Timeout: c.Ingest.Timeout, ExitGrace: stopBound, CpimportPath: c.Ingest.CpimportPath, PID1: os.Getpid() == 1, Log: log,
	}
}

// importBound is how long the end of the exporter waits for a trial: without limit where the import would end with it.
func importBound(c config.Ingest) time.Duration {
	if os.Getpid() == 1 && c.Method == config.MethodCpimport {
		return math.MaxInt64
	}
	return 2 * stopBound
}
