//go:build linux

package main

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/survey"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// progress is a bar with the time left on a terminal, and nothing elsewhere. A worker that is late to stop does not bring it
// back after its end.
type progress struct {
	mu  sync.Mutex
	bar *progressbar.ProgressBar // nil where there is none, and after the end
}

// requestProgress counts the requests of all directories that are there.
func (a app) requestProgress(directories []survey.Directory, spec latency.Spec) *progress {
	total := 0
	for _, d := range directories {
		if d.Facts.State == topology.StatePresent {
			total += spec.Count + spec.Commits
		}
	}
	return a.stepProgress(total, "measuring")
}

// stepProgress counts steps.
func (a app) stepProgress(total int, what string) *progress {
	if _, shown := terminal(a.stderr); total == 0 || !shown {
		return &progress{}
	}
	return &progress{bar: progressbar.NewOptions(total,
		progressbar.OptionSetWriter(a.stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
	)}
}

// show has the bar changed while there is one.
func (p *progress) show(change func(bar *progressbar.ProgressBar)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		change(p.bar)
	}
}

func (p *progress) tick() { p.show(func(bar *progressbar.ProgressBar) { _ = bar.Add(1) }) }

func (p *progress) end() {
	p.show(func(bar *progressbar.ProgressBar) {
		_ = bar.Clear()
		p.bar = nil
	})
}

// throughputProgress counts the seconds of all tests of one directory.
type throughputProgress struct {
	*progress
	spec throughput.Spec
}

func (a app) throughputProgress(spec throughput.Spec) throughputProgress {
	planned := spec.Duration * time.Duration(len(spec.Tests))
	return throughputProgress{a.stepProgress(int(planned.Seconds()+0.5), human.Path(spec.Directory)), spec}
}

// test shows how far a throughput test has come. Laying out the files for it counts for nothing.
func (p throughputProgress) test(test throughput.Test, elapsed time.Duration, bytes int64) {
	if elapsed <= 0 {
		return
	}
	p.show(func(bar *progressbar.ProgressBar) {
		bar.Describe(fmt.Sprintf("%s %s", test, human.BytesPerSecond(float64(bytes)/elapsed.Seconds())))
		if test == throughput.LayOut {
			_ = bar.RenderBlank()
			return
		}
		_ = bar.Set(int(p.past(test, elapsed).Seconds()))
	})
}

// past is the time of the tests before and of the one under way.
func (p throughputProgress) past(test throughput.Test, elapsed time.Duration) time.Duration {
	past := min(elapsed, p.spec.Duration)
	for _, earlier := range throughput.Tests() {
		if earlier == test {
			break
		}
		if slices.Contains(p.spec.Tests, earlier) {
			past += p.spec.Duration
		}
	}
	return past
}
