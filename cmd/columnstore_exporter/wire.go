//go:build linux

package main

import (
	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/config"
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
