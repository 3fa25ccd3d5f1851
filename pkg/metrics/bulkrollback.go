//go:build linux

package metrics

import "github.com/prometheus/client_golang/prometheus"

// BulkRollback holds the series about what lies in the bulkRollback directories.
type BulkRollback struct{ entries *prometheus.GaugeVec }

// NewBulkRollback registers the series with r.
func NewBulkRollback(r prometheus.Registerer) *BulkRollback {
	b := &BulkRollback{prometheus.NewGaugeVec(gauge("bulkrollback", "entries",
		"Tables that have an entry in the DBroot's bulkRollback directory: leftovers when no import runs."), []string{"dbroot"})}
	r.MustRegister(b.entries)
	return b
}

// Entries publishes how many tables have an entry.
func (b *BulkRollback) Entries(dbroot string, n int) {
	b.entries.WithLabelValues(dbroot).Set(float64(n))
}

// Forget drops the series of a DBroot whose bulkRollback is absent or left.
func (b *BulkRollback) Forget(dbroot string) { b.entries.DeleteLabelValues(dbroot) }
