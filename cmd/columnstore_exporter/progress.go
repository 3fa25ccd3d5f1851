//go:build linux

package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/survey"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// progress is a bar with the time left on a terminal, and nothing elsewhere.
type progress struct{ bar *progressbar.ProgressBar }

// requestProgress counts the requests of all directories that are there.
func (a app) requestProgress(directories []survey.Directory, spec latency.Spec) progress {
	total := 0
	for _, d := range directories {
		if d.Facts.State == topology.StatePresent {
			total += spec.Count + spec.Commits
		}
	}
	return a.stepProgress(total, "measuring")
}

// stepProgress counts steps.
func (a app) stepProgress(total int, what string) progress {
	if _, shown := terminal(a.stderr); total == 0 || !shown {
		return progress{}
	}
	return progress{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(a.stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
	)}
}

func (p progress) tick() {
	if p.bar != nil {
		_ = p.bar.Add(1)
	}
}

func (p progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// throughputProgress counts the seconds of all tests of one directory.
type throughputProgress struct {
	progress
	spec throughput.Spec
}

func (a app) throughputProgress(spec throughput.Spec) throughputProgress {
	planned := spec.Duration * time.Duration(len(spec.Tests))
	return throughputProgress{a.stepProgress(int(planned.Seconds()+0.5), spec.Directory), spec}
}

// test shows how far a throughput test has come. Laying out the files for it counts for nothing.
func (p throughputProgress) test(test throughput.Test, elapsed time.Duration, bytes int64) {
	if p.bar == nil || elapsed <= 0 {
		return
	}
	p.bar.Describe(fmt.Sprintf("%s %s", test, human.BytesPerSecond(float64(bytes)/elapsed.Seconds())))
	if test == throughput.LayOut {
		_ = p.bar.RenderBlank()
		return
	}
	past := min(elapsed, p.spec.Duration)
	for _, earlier := range throughput.Tests() {
		if earlier == test {
			break
		}
		if slices.Contains(p.spec.Tests, earlier) {
			past += p.spec.Duration
		}
	}
	_ = p.bar.Set(int(past.Seconds()))
}
