//go:build linux

package monitor

import (
	"fmt"
	"slices"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// twins tells of each directory that is there under a second name, by a symlink or because one DBroot is within another.
// Both names are the operator's, so both keep their series.
func twins(directories []*directory) (notes []string) {
	type place struct {
		path  string
		mount topology.Mount
	}
	first := map[place]topology.Target{}
	for _, d := range directories {
		facts := d.known()
		if facts.State != topology.StatePresent {
			continue
		}
		at := place{facts.Resolved, facts.Mount}
		if other, taken := first[at]; taken {
			notes = append(notes, fmt.Sprintf("%s (%s) and %s (%s) are one directory, which is measured under both names",
				other.Directory, other.Kind, d.target.Directory, d.target.Kind))
			continue
		}
		first[at] = d.target
	}
	return notes
}

// logTwins logs those that were not there before.
func (m *Monitor) logTwins(directories []*directory) {
	notes := twins(directories)
	m.mu.Lock()
	before := m.twinsLogged
	m.twinsLogged = notes
	m.mu.Unlock()
	for _, note := range notes {
		if !slices.Contains(before, note) {
			m.opts.Log.Warn("discovery notes", zap.String("note", note))
		}
	}
}
