//go:build linux

package monitor

import (
	"maps"
	"slices"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/status"
)

// Fill writes what the monitor knows into the picture.
func (m *Monitor) Fill(s *status.Snapshot) {
	now := m.opts.Clock()
	directories := m.all()
	for _, d := range directories {
		s.Targets = append(s.Targets, d.picture(now))
	}
	notes := twins(directories)
	m.mu.Lock()
	defer m.mu.Unlock()
	s.Module = m.topology.Module
	s.Ignored = m.topology.Ignored
	s.Notes = slices.Concat(m.topology.Notes, notes)
	s.Discovery = m.trouble
}

func (d *directory) picture(now time.Time) status.Target {
	op, busy := d.opts.Probes.InFlight(d.target)
	d.mu.Lock()
	defer d.mu.Unlock()
	t := status.Target{
		Target: d.target, Facts: d.seen,
		Runs: d.runs, Skipped: maps.Clone(d.skips), Failed: maps.Clone(d.fails),
		Recent: d.recent.Values(),
	}
	if busy {
		t.InFlight = &status.Operation{Name: op.Name, Since: op.Since}
	}
	if last := d.outcome.lastSuccess; !last.IsZero() {
		t.LastSuccess = &last
	}
	for _, p := range d.day.Points(now) {
		t.History = append(t.History, status.Point{Time: p.Time, Avg: p.Mean})
	}
	if r := d.outcome.result; r != nil {
		success := d.outcome.success
		t.Success, t.Error, t.IO, t.DeviceRatio = &success, r.Error, r.IO, r.DeviceRatio
		t.Read = status.Figures(r.Read, d.outcome.requests[latency.Read], *r, d.outcome.ended)
		t.Commit = status.Figures(r.Commit, d.outcome.requests[latency.Commit], *r, d.outcome.ended)
	}
	return t
}
