//go:build linux

// Package status is the picture of what the exporter knows at one moment: the status page renders it, /api/v1/status is
// its JSON, and the report of check prints it.
package status

import (
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
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
	// Notes are what the operator should know about the configuration, a sentence each.
	Notes []string `json:"notes,omitempty"`
	// Discovery is the error of the last discovery; empty when it went well.
	Discovery string `json:"discovery_error,omitempty"`
	Workers   int    `json:"workers"`
	// Ingest is nil where no import trials are configured.
	Ingest *Ingest `json:"ingest,omitempty"`
	// What Assess concludes; nil before it did.
	Verdict  *baseline.Verdict  `json:"verdict,omitempty"`
	Layout   *baseline.Match    `json:"layout,omitempty"`
	Forecast *baseline.Forecast `json:"forecast,omitempty"`
	// Layouts are the reference layouts that the node is compared with, the published ones first.
	Layouts []baseline.Layout `json:"layouts,omitempty"`
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
	// History is the last 24 h in steps of five minutes, oldest first; steps without a run are left out.
	History []Point `json:"history,omitempty"`
	// Throughput is the last throughput run, nil before there is one.
	Throughput *Throughput `json:"throughput,omitempty"`
	// Verdict is what Assess concludes; nil before it did.
	Verdict *baseline.Verdict `json:"verdict,omitempty"`
	// Recent is the latencies of the counted reads of the last runs, in seconds, in no order.
	Recent []float64 `json:"-"`
}

// Run is ioping's four figures of one run, in seconds, and its time.
type Run struct {
	Ended time.Time `json:"ended"`
	// Requests is the number of requests that were started, warm-up included; Count that of the counted ones.
	Requests int     `json:"requests"`
	Count    int     `json:"count"`
	Min      float64 `json:"min_seconds"`
	Avg      float64 `json:"avg_seconds"`
	Max      float64 `json:"max_seconds"`
	Mdev     float64 `json:"mdev_seconds"`
	Elapsed  float64 `json:"elapsed_seconds"`
	// Quantiles are those of the counted requests; nil where single latencies are not kept for it.
	Quantiles *Quantiles `json:"quantiles,omitempty"`
}

// Quantiles are latencies in seconds that half, 95 % and 99 % of the requests did not exceed, each that of a request.
type Quantiles struct {
	P50 float64 `json:"p50_seconds"`
	P95 float64 `json:"p95_seconds"`
	P99 float64 `json:"p99_seconds"`
}

// Operation is an operation that has begun and not ended.
type Operation struct {
	Name  string    `json:"name"`
	Since time.Time `json:"since"`
}

// Point is the mean read latency over five minutes, in seconds.
type Point struct {
	// Time is the start of the five minutes.
	Time time.Time `json:"time"`
	Avg  float64   `json:"avg_seconds"`
}

// Ingest is what is known of the import trials.
type Ingest struct {
	IntervalSeconds float64 `json:"interval_seconds"`
	// Plan is what check was asked for; nil in the daemon.
	Plan *Plan `json:"plan,omitempty"`
	// InFlight is the start of the trial under way, nil when idle.
	InFlight *time.Time `json:"in_flight_since,omitempty"`
	// Trials are the last finished trials, failed ones too, oldest first.
	Trials  []Trial           `json:"trials,omitempty"`
	Skipped map[string]uint64 `json:"skipped,omitempty"`
	Failed  map[string]uint64 `json:"failed,omitempty"`
	// LastSkip is why the last trial that was due did not start; empty when it did.
	LastSkip string `json:"last_skip,omitempty"`
	// SkipDetails is what was found at the last skip for each reason; check alone keeps it.
	SkipDetails map[string]string `json:"skip_details,omitempty"`
	LastSuccess *time.Time        `json:"last_success,omitempty"`
}

// Plan is the import trials that check was asked for.
type Plan struct {
	Trials int `json:"trials"`
	// Database and Table are where the rows go, File is the CSV that holds them.
	Database string `json:"database"`
	Table    string `json:"table"`
	Rows     int64  `json:"rows"`
	File     string `json:"file"`
}

// Trial is one finished import trial, with the latencies that were measured when it ran (nil where there were none, or where
// the method says nothing about cpimport): the constant of the predictions is fitted to these.
type Trial struct {
	ingest.Trial
	Means *baseline.Means `json:"means,omitempty"`
}

// Throughput is one finished throughput run of a directory: a result for each test.
type Throughput struct {
	Ended   time.Time           `json:"ended"`
	Results []throughput.Result `json:"results"`
	// Diagnosis is what Assess concludes; nil before it did.
	Diagnosis *throughput.Diagnosis `json:"diagnosis,omitempty"`
}
