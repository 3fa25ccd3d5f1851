//go:build linux

package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/status"
)

// imports writes what was asked for, each trial, what they have in common, and which came to nothing.
func (p *page) imports() {
	if p.Ingest == nil {
		return
	}
	p.WriteString(p.heading("import trials"))
	if plan := p.Ingest.Plan; plan != nil {
		p.line("database %s, table %s, %d rows of %s, iterations: %d", plan.Database, plan.Table, plan.Rows, human.Path(plan.File), plan.Trials)
	}
	p.trials()
	if good, _ := p.successes(); good.Count > 0 {
		p.line("min/avg/max/mdev = %s / %s / %s / %s", human.Seconds(good.Min), human.Seconds(good.Avg()), human.Seconds(good.Max), human.Seconds(good.Mdev()))
	}
	for i, t := range p.Ingest.Trials {
		if t.Failure != "" {
			p.alarm(fmt.Sprintf("trial %d failed", i+1), string(t.Failure), t.Error)
		}
		for _, warning := range t.Warnings {
			p.line("trial %d: %s", i+1, warning)
		}
	}
	for _, why := range slices.Sorted(maps.Keys(p.Ingest.Skipped)) {
		p.alarm(fmt.Sprintf("%d not started", p.Ingest.Skipped[why]), why, p.Ingest.SkipDetails[why])
	}
	p.WriteByte('\n')
}

func (p *page) alarm(what, why, detail string) {
	p.WriteString(p.marked(red, what, fmt.Sprintf(" (%s): %s", why, detail)))
}

// trials writes a row for each trial that imported, with the steps as cpimport reports them.
func (p *page) trials() {
	t := table{layout: "rlrrrrrrr"}
	t.add("trial", "method", "time", "rows/s", "rate", "job load", "preprocess", "load", "total")
	for i, trial := range p.Ingest.Trials {
		if trial.Failure == "" {
			t.add(row(i+1, trial.Trial)...)
		}
	}
	if len(t.rows) > 1 {
		t.write(&p.Buffer)
	}
}

func row(number int, t ingest.Trial) []string {
	cells := []string{
		strconv.Itoa(number), t.Method, human.Seconds(t.Seconds),
		human.Number(float64(t.Rows) / t.Seconds), human.BytesPerSecond(float64(t.Bytes) / t.Seconds),
	}
	for _, step := range []string{"job_load", "preprocess", "load", "total"} {
		s, known := t.Steps[step]
		if !known { // LOAD DATA has none
			cells = append(cells, human.None)
			continue
		}
		cells = append(cells, human.Seconds(s))
	}
	return cells
}

// successes are the times of the trials that imported, and the method of the last of them.
func (r Report) successes() (good latency.Stats, method string) {
	if r.Ingest == nil {
		return good, ""
	}
	for _, t := range r.Ingest.Trials {
		if imported(t) {
			good.Add(time.Duration(t.Seconds * float64(time.Second)))
			method = t.Method
		}
	}
	return good, method
}

func imported(t status.Trial) bool { return t.Failure == "" && t.Seconds > 0 }
