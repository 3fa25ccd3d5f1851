//go:build linux

package status

import (
	"slices"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// Assess returns the snapshot with its conclusions filled in: the verdicts, the nearest of the layouts and the predicted
// import times. Previous is the name of the layout that was nearest the last time, empty at first. The layouts become the
// snapshot's.
func (s Snapshot) Assess(layouts []baseline.Layout, previous string) Snapshot {
	assessment := baseline.Assess(s.node(), layouts, previous)
	s.Layouts = layouts
	s.Layout = assessment.Layout
	s.Forecast = &assessment.Forecast
	s.Verdict = &assessment.Verdict
	s.Targets = slices.Clone(s.Targets)
	for i := range s.Targets {
		s.Targets[i].Verdict = &assessment.Directories[i]
		if t := s.Targets[i].Throughput; t != nil {
			s.Targets[i].Throughput = t.diagnosed()
		}
	}
	return s
}

func (s Snapshot) node() baseline.Node {
	node := baseline.Node{Guideline: s.Settings.LatencyTargetSeconds, Discovery: s.Discovery}
	for _, target := range s.Targets {
		node.Directories = append(node.Directories, s.directory(target))
	}
	if s.Ingest == nil {
		return node
	}
	for _, trial := range s.Ingest.Trials {
		if trial.Failure == "" && trial.Means != nil {
			node.Trials = append(node.Trials, baseline.Trial{Seconds: trial.Seconds, Means: *trial.Means})
		}
	}
	return node
}

func (s Snapshot) directory(t Target) baseline.Directory {
	d := baseline.Directory{
		Target:      t.Target,
		State:       t.Facts.State,
		Error:       t.Facts.Error,
		Success:     t.Success,
		DeviceRatio: t.DeviceRatio,
		Read:        t.Read.figures(),
		Commit:      t.Commit.figures(),
	}
	if t.Success != nil && !*t.Success && t.Error != "" {
		d.Error = t.Error
	}
	if t.InFlight != nil {
		d.Operation, d.InFlight = t.InFlight.Name, s.Time.Sub(t.InFlight.Since)
	}
	if t.Throughput != nil {
		d.CoreRates = t.Throughput.CoreRates()
	}
	return d
}

func (r *Run) figures() *baseline.Figures {
	if r == nil {
		return nil
	}
	return &baseline.Figures{Min: r.Min, Avg: r.Avg, Max: r.Max, Mdev: r.Mdev}
}

// diagnosed returns a copy with the diagnosis.
func (t Throughput) diagnosed() *Throughput {
	diagnosis := throughput.Diagnose(t.Results)
	t.Diagnosis = &diagnosis
	return &t
}

// CoreRates returns the throughput per core of each test that succeeded and measured storage, not a cache. Skipread is left
// out: its figure is seeks per second.
func (t Throughput) CoreRates() []baseline.CoreRate {
	var rates []baseline.CoreRate
	for _, r := range t.Results {
		if r.Failure != "" || r.Cached() || r.Test == throughput.SkipRead {
			continue
		}
		read := baseline.CoreRate{Test: string(r.Test), BytesPerSecond: r.PerCore(r.ReadRate())}
		written := baseline.CoreRate{Test: string(r.Test), BytesPerSecond: r.PerCore(r.WriteRate())}
		switch {
		case read.BytesPerSecond > 0 && written.BytesPerSecond > 0:
			read.Test, written.Test = read.Test+" in", written.Test+" out"
			rates = append(rates, read, written)
		case read.BytesPerSecond > 0:
			rates = append(rates, read)
		case written.BytesPerSecond > 0:
			rates = append(rates, written)
		}
	}
	return rates
}
