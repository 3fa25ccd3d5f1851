//go:build linux

package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
)

// Database holds the series of what SQL says about the server.
type Database struct {
	up, ready, readOnly, primary, locks, ownLocked late
}

// NewDatabase registers the series with r. Each is absent until the server has answered the question behind it.
func NewDatabase(r prometheus.Registerer) *Database {
	return &Database{
		up:        newLate(r, gauge("", "up", "1 when the database server answered the last question, else 0.")),
		ready:     newLate(r, gauge("system", "ready", "mcsSystemReady(): 1 when ColumnStore is ready.")),
		readOnly:  newLate(r, gauge("system", "read_only", "mcsSystemReadOnly(): 0 for read and write, 1 for suspended writes, 2 for read-only.")),
		primary:   newLate(r, gauge("system", "primary", "mcsSystemPrimary(): 1 on the cluster's primary node.")),
		locks:     newLate(r, gauge("", "table_locks", "ColumnStore tables that are locked.")),
		ownLocked: newLate(r, gauge(ingestion, "table_locked", "1 when the trial's own table is locked, else 0.")),
	}
}

// Publish shows what the server said last; what it did not say is absent.
func (d *Database) Publish(s ingest.Database) {
	d.up.set(number(s.Up))
	publish(d.ready, s.Ready, number)
	publish(d.readOnly, s.ReadOnly, func(n int) float64 { return float64(n) })
	publish(d.primary, s.Primary, number)
	publish(d.locks, s.TableLocks, func(n int) float64 { return float64(n) })
	publish(d.ownLocked, s.TableLocked, number)
}

func publish[T any](g late, value *T, convert func(T) float64) {
	if value == nil {
		g.forget()
		return
	}
	g.set(convert(*value))
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
