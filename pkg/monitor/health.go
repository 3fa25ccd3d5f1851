//go:build linux

package monitor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// watch logs operations that begin to hang and that come back, and directories that turn out to be one.
func (m *Monitor) watch(context.Context, time.Time) error {
	directories := m.all()
	for _, d := range directories {
		d.watch()
	}
	m.logTwins(directories)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.watched = time.Now()
	return nil
}

// standstill is how long the monitor's own clockwork may stand still before the daemon counts as unhealthy.
const standstill = 30 * time.Second

// Healthy returns an error when the monitor's own clockwork stands still. It does not depend on storage.
func (m *Monitor) Healthy() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if since := time.Since(m.watched); !m.watched.IsZero() && since > standstill {
		return fmt.Errorf("the schedule has stood still for %s", since.Round(time.Second))
	}
	return nil
}

// Ready tells what the first round still waits for; nil when every directory has been measured, skipped or found hung.
func (m *Monitor) Ready() error {
	m.mu.Lock()
	discovered := m.discovered
	m.mu.Unlock()
	if !discovered {
		return errors.New("waiting for the first discovery")
	}
	var waiting []string
	for _, d := range m.all() {
		if m.opts.Interval > 0 && !d.settled() {
			waiting = append(waiting, d.target.Directory)
		}
	}
	if len(waiting) > 0 {
		return errors.New("waiting for the first run of " + strings.Join(waiting, ", "))
	}
	return nil
}
