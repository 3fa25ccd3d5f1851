//go:build linux

// Package status is the picture of what the exporter knows at one moment: the status page renders it, /api/v1/status is
// its JSON, and the report of check prints it.
package status

import (
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// Snapshot is the whole picture. It is a copy: nobody changes it after it was taken.
type Snapshot struct {
	Time     time.Time          `json:"time"`
	Host     string             `json:"host"`
	Version  string             `json:"version"`
	Module   string             `json:"module"`
	Started  time.Time          `json:"started"`
	Ready    bool               `json:"ready"`
	Settings Settings           `json:"settings"`
	Targets  []Target           `json:"targets"`
	Ignored  []topology.Ignored `json:"ignored"`
	// Discovery is the error of the last discovery; empty when it went well.
	Discovery string `json:"discovery_error,omitempty"`
	Workers   int    `json:"workers"`
}

// Settings are the settings that explain the figures.
type Settings struct {
	LatencyTargetSeconds   float64 `json:"latency_target_seconds"`
	IntervalSeconds        float64 `json:"interval_seconds"`
	RequestIntervalSeconds float64 `json:"request_interval_seconds"`
	RequestSizeBytes       int64   `json:"request_size_bytes"`
	WorkingSetBytes        int64   `json:"working_set_bytes"`
	Count                  int     `json:"count"`
	Commits                int     `json:"commits"`
}

// Target is one directory with its facts and its last figures.
type Target struct {
	topology.Target
	Facts topology.Facts `json:"facts"`
	// InFlight is the operation under way on the target's path, nil when idle.
	InFlight *Operation `json:"in_flight,omitempty"`
	// Success tells whether the last run measured; nil before the first and for an absent bulkRollback.
	Success     *bool      `json:"success,omitempty"`
	Error       string     `json:"error,omitempty"`
	LastSuccess *time.Time `json:"last_success,omitempty"`
	// IO is direct or buffered, as really used; DeviceRatio is nil where the file system does not account.
	IO          string   `json:"io,omitempty"`
	DeviceRatio *float64 `json:"device_ratio,omitempty"`
	// Read and Commit are the last finished run's figures, nil before there are any.
	Read    *Run              `json:"read,omitempty"`
	Commit  *Run              `json:"commit,omitempty"`
	Runs    uint64            `json:"runs"`
	Skipped map[string]uint64 `json:"skipped"`
	Failed  map[string]uint64 `json:"failed"`
	// History is the mean of each finished run over the last 24 h, oldest first.
	History []Point `json:"history,omitempty"`
	// Recent is the latencies of the counted reads of the last runs, in seconds, in no order.
	Recent []float64 `json:"-"`
}

// Run is ioping's four figures of one run, in seconds, and its time.
type Run struct {
	Ended   time.Time `json:"ended"`
	Count   int       `json:"count"`
	Min     float64   `json:"min_seconds"`
	Avg     float64   `json:"avg_seconds"`
	Max     float64   `json:"max_seconds"`
	Mdev    float64   `json:"mdev_seconds"`
	Elapsed float64   `json:"elapsed_seconds"`
}

// Operation is an operation that has begun and not ended.
type Operation struct {
	Name  string    `json:"name"`
	Since time.Time `json:"since"`
}

// Point is the mean read latency of one run, in seconds.
type Point struct {
	Time time.Time `json:"time"`
	Avg  float64   `json:"avg_seconds"`
}
