//go:build linux

package status

import (
	"sync"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
)

// Judge assesses one picture after another, and remembers the layout that was nearest, so that noise does not flip it. It
// is safe for concurrent use.
type Judge struct {
	layouts []baseline.Layout

	mu       sync.Mutex
	previous string
}

// NewJudge returns a judge that compares with these layouts.
func NewJudge(layouts []baseline.Layout) *Judge { return &Judge{layouts: layouts} }

// Assess returns the picture with its conclusions.
func (j *Judge) Assess(s Snapshot) Snapshot {
	j.mu.Lock()
	defer j.mu.Unlock()
	s = s.Assess(j.layouts, j.previous)
	if s.Layout != nil {
		j.previous = s.Layout.Layout
	}
	return s
}
