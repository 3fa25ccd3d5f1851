//go:build linux

package ingest

import "time"

// Trial is one finished import trial.
type Trial struct {
	// Method is cpimport or load_data.
	Method  string    `json:"method"`
	Started time.Time `json:"started"`
	// Seconds is the wall clock of the import alone.
	Seconds float64 `json:"seconds"`
	Rows    int64   `json:"rows"`
	Bytes   int64   `json:"bytes"`
	// Steps are the seconds that cpimport reports: job_load, preprocess, load, total. Nil for load_data.
	Steps map[string]float64 `json:"steps,omitempty"`
	// Failure is the reason of the closed set, empty for success; Error the text that belongs to it.
	Failure string `json:"failure,omitempty"`
	Error   string `json:"error,omitempty"`
	// Warnings are lines that cpimport printed about saturated or truncated values.
	Warnings []string `json:"warnings,omitempty"`
}
