//go:build linux

package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"time"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/config"
	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/cpimport"
	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/tasks"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// workerOptions start this binary again as a worker. Its environment is empty: no secret gets there.
func workerOptions(clock func() time.Time, log *zap.Logger) worker.Options {
	return worker.Options{Args: []string{"worker"}, Log: log, Clock: clock}
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

func throughputSpec(c config.Throughput, host string) throughput.Spec {
	s := throughput.Spec{
		Host: host, Duration: c.Duration, Threads: c.Threads, BlockSize: int64(c.BlockSize), MaxBytes: int64(c.MaxBytes),
		MinFree: throughput.FreeSpace{Percent: c.MinFree.Percent, Bytes: int64(c.MinFree.Bytes)}, CRC: c.CRC,
	}
	for _, t := range c.Tests {
		s.Tests = append(s.Tests, throughput.Test(t))
	}
	return s
}

// deviceCounters are the counters of this machine's block devices and NFS mounts.
func deviceCounters() (iostat.FS, error) { return iostat.New("/proc", "/sys") }

// importing tells whether a cpimport runs on this node, whoever started it.
func importing() (bool, error) {
	running, err := cpimport.Running()
	return len(running) > 0, err
}

// layoutPatience is how long the storage may take to give up the file with the operator's own layouts.
const layoutPatience = 5 * time.Second

// readLayouts returns the published layouts and those of the operator's file, if one is named.
func readLayouts(ctx context.Context, client *tasks.Client, file string) ([]baseline.Layout, error) {
	if file == "" {
		return baseline.Published(), nil
	}
	ctx, cancel := context.WithTimeout(ctx, layoutPatience)
	defer cancel()
	own, err := client.Layouts(ctx, file)
	if err != nil {
		return nil, fmt.Errorf("COLUMNSTORE_EXPORTER_BASELINES_FILE: %w", err)
	}
	return append(baseline.Published(), own...), nil
}
