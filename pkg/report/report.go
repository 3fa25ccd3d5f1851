//go:build linux

// Package report is what check prints: a picture of one measurement, as text that a user of ioping recognises and as JSON.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// Schema is the version of the JSON form. It grows when a field changes its meaning or goes; new fields do not change it.
const Schema = 1

// Report is one measurement of this node.
type Report struct {
	Schema int `json:"schema"`
	// ExitCode is what check exits with: 2 when something failed, 1 when a mean is over the target, 0 otherwise.
	ExitCode int `json:"exit_code"`
	// Interrupted tells that the measurement was stopped before its end; the figures are what there was by then.
	Interrupted bool `json:"interrupted"`
	status.Snapshot
}

// New returns the report of a picture.
func New(s status.Snapshot, interrupted bool) Report {
	s.Targets = append([]status.Target{}, s.Targets...) // [] rather than null in JSON
	s.Ignored = append([]topology.Ignored{}, s.Ignored...)
	return Report{Schema: Schema, ExitCode: exitCode(s), Interrupted: interrupted, Snapshot: s}
}

// exitCode is the verdict as a number. An absent bulkRollback is no failure.
func exitCode(s status.Snapshot) int {
	slow := func(t status.Target) bool { return t.Read != nil && t.Read.Avg > s.Settings.LatencyTargetSeconds }
	switch {
	case s.Discovery != "" || slices.ContainsFunc(s.Targets, failed) || importFailed(s.Ingest):
		return 2
	case slices.ContainsFunc(s.Targets, slow):
		return 1
	default:
		return 0
	}
}

// failed tells whether a directory was to be measured and was not, wholly or in part.
func failed(t status.Target) bool {
	return t.Error != "" || len(t.Failed) > 0 || t.Success != nil && !*t.Success || t.InFlight != nil ||
		t.Success == nil && t.Facts.State != topology.StateAbsent || throughputFailed(t.Throughput)
}

func throughputFailed(t *status.Throughput) bool {
	return t != nil && slices.ContainsFunc(t.Results, func(r throughput.Result) bool { return r.Failure != "" })
}

// importFailed tells whether a trial failed, or was asked for and not started.
func importFailed(i *status.Ingest) bool { return i != nil && len(i.Failed)+len(i.Skipped) > 0 }

// WriteJSON writes the JSON form.
func (r Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
