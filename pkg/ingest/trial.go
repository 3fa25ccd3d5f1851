//go:build linux

package ingest

import (
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
)

// Methods of importing.
const (
	// MethodAuto takes cpimport where it and the engine are there, else load_data. A trial never carries it.
	MethodAuto = "auto"
	// MethodCpimport runs cpimport on this node.
	MethodCpimport = "cpimport"
	// MethodLoadData sends the rows through SQL: LOAD DATA LOCAL INFILE.
	MethodLoadData = "load_data"
)

// Trial is one finished import trial.
type Trial struct {
	// Method is cpimport or load_data.
	Method string `json:"method"`
	// Started is when the import was started. Of a trial that failed before its import, it is when the trial was.
	Started time.Time `json:"started"`
	// Seconds is the wall clock of the import alone. It is 0 when the trial failed before its import.
	Seconds float64 `json:"seconds"`
	// Rows and Bytes are what was imported; a failed trial has none.
	Rows  int64 `json:"rows"`
	Bytes int64 `json:"bytes"`
	// TableRows is how many rows the table held at the last count.
	TableRows int64 `json:"table_rows"`
	// Steps are the seconds that cpimport reports: job_load, preprocess, load, total. Nil for load_data.
	Steps map[string]float64 `json:"steps,omitempty"`
	// Failure is the reason of the closed set, empty for success; Error the text that belongs to it.
	Failure outcome.Failure `json:"failure,omitempty"`
	Error   string          `json:"error,omitempty"`
	// Warnings are lines that cpimport printed about saturated or truncated values.
	Warnings []string `json:"warnings,omitempty"`
}

// Skip is a trial that was not started.
type Skip struct {
	Reason outcome.Skip `json:"reason"`
	// Detail says what was found, for a person.
	Detail string `json:"detail"`
}

// Database is what SQL said about the server at one moment.
type Database struct {
	Time time.Time `json:"time"`
	// Up tells whether the server answered; Error why it did not, or why a later question got no answer.
	Up    bool   `json:"up"`
	Error string `json:"error,omitempty"`
	// Version is the server's own word.
	Version string `json:"version,omitempty"`
	// ColumnStore tells whether the server has the engine. Without it the fields below stay nil.
	ColumnStore bool `json:"columnstore"`
	// Ready is mcsSystemReady(), Primary mcsSystemPrimary().
	Ready   *bool `json:"ready,omitempty"`
	Primary *bool `json:"primary,omitempty"`
	// ReadOnly is mcsSystemReadOnly(): 0 for read and write, 1 for suspended writes, 2 for read-only.
	ReadOnly *int `json:"read_only,omitempty"`
	// TableLocks is how many ColumnStore tables are locked, TableLocked whether the trial's own table is. Nil while the
	// engine is not ready.
	TableLocks  *int  `json:"table_locks,omitempty"`
	TableLocked *bool `json:"table_locked,omitempty"`
}

// FailureReasons returns the closed set of reasons of failed trials.
func FailureReasons() []outcome.Failure { return outcome.Failures() }

// SkipReasons returns the closed set of reasons of trials that were not started.
func SkipReasons() []outcome.Skip { return outcome.Skips() }
