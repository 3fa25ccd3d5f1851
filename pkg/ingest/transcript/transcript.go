// Package transcript reads what cpimport prints, and judges an import by it. Lines are read by their meaning: releases
// word and colour them differently, and print them on either stream.
package transcript

import (
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
)

// Steps of an import, the keys of Transcript.Steps.
const (
	// StepJobLoad is the reading of the job file.
	StepJobLoad = "job_load"
	// StepPreprocess is the saving of what a rollback would need, with the wait for the table lock.
	StepPreprocess = "preprocess"
	// StepLoad is the rest of the total: the rows, the rollback if there is one, the snapshot of the extent map.
	StepLoad = "load"
	// StepTotal is the import without the start and the end of its process.
	StepTotal = "total"
)

// Steps returns all steps in their order.
func Steps() []string { return []string{StepJobLoad, StepPreprocess, StepLoad, StepTotal} }

// Transcript is what an import has told.
type Transcript struct {
	// Processed and Inserted are the figures of the rows line; Counted tells whether there was one.
	Processed, Inserted int64
	Counted             bool
	// Steps are seconds by step, as far as they were told.
	Steps map[string]float64
	// Warnings are the first lines about saturated, invalid or truncated values; WarningCount is the number of all.
	Warnings     []string
	WarningCount int
	// LogFile and JobFile are the files of the engine that the import wrote and has named.
	LogFile, JobFile string
	// Cause is the reason that the import gave for its failure in the line CauseText; empty when it gave none that is known.
	Cause     outcome.Failure
	CauseText string
	// Ended tells whether the import said that a signal asked it to end.
	Ended bool
	// LastError is the last line of an error, else the last line on stderr, else the last line at all.
	LastError string
	// Text is all that was printed, without colours; of much, the first and the last part.
	Text string
}

// withLoad completes the steps: what is left of the total was spent on loading.
func withLoad(steps map[string]float64) map[string]float64 {
	total, whole := steps[StepTotal]
	job, first := steps[StepJobLoad]
	pre, second := steps[StepPreprocess]
	if whole && first && second {
		steps[StepLoad] = max(0, total-job-pre)
	}
	return steps
}
