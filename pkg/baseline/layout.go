//go:build linux

// Package baseline turns latencies into answers: which reference layout of the storage a node resembles, how long the
// 10,000 x 250 import should take on it, and what to do about a directory that is too slow.
package baseline

import "github.com/columnstore/columnstore_exporter/pkg/topology"

// Layout is one way to lay out ColumnStore's storage, with what was measured on it.
type Layout struct {
	// Name is the value of the label layout: lower-case letters, digits and underscores, a letter first.
	Name string `json:"name"`
	// Title is the name for people.
	Title string `json:"title"`
	// Host describes the machine that the figures were taken on.
	Host string `json:"host"`
	// Latencies are the mean read latencies that were measured. A DBroot without one of kind bulkrollback keeps its
	// bulkRollback directory on the same storage, so that its own latency holds for both (see Means).
	Latencies []Latency `json:"latencies"`
	// Ingest is how long the import of 10,000 rows x 250 columns took; nil when nobody said.
	Ingest *Bounds `json:"ingest,omitempty"`
}

// Latency is the mean read latency of one directory of a layout.
type Latency struct {
	// DBRoot is the number of the DBroot as text, 1 to 99.
	DBRoot string `json:"dbroot"`
	// Kind is topology.KindDBRoot or topology.KindBulkRollback.
	Kind    topology.Kind `json:"kind"`
	Seconds float64       `json:"seconds"`
}

// Bounds is the range of an import time in seconds.
type Bounds struct {
	Lower float64 `json:"lower_seconds"`
	Upper float64 `json:"upper_seconds"`
}

// Title returns the title of the layout of that name, and the name itself where there is none.
func Title(layouts []Layout, name string) string {
	for _, layout := range layouts {
		if layout.Name == name {
			return layout.Title
		}
	}
	return name
}

// Means returns the layout's mean latency of each kind. Where bulkRollback lies in its DBroot, the DBroot's latency counts
// for it.
func (l Layout) Means() Means {
	var roots, rollbacks mean
	for _, root := range l.Latencies {
		if root.Kind != topology.KindDBRoot {
			continue
		}
		roots.add(root.Seconds)
		rollbacks.add(l.rollback(root))
	}
	return Means{DBRoot: roots.value(), BulkRollback: rollbacks.value(), Complete: true}
}

// Range returns the lowest and the highest latency of a kind, 0 and 0 when the layout has none. For bulkRollback, and for
// an extra directory as the place it could move to, DBroots count where bulkRollback lies in them.
func (l Layout) Range(kind topology.Kind) (low, high float64) {
	for _, root := range l.Latencies {
		if root.Kind != topology.KindDBRoot {
			continue
		}
		seconds := root.Seconds
		if kind != topology.KindDBRoot {
			seconds = l.rollback(root)
		}
		if low == 0 || seconds < low {
			low = seconds
		}
		high = max(high, seconds)
	}
	return low, high
}

func (l Layout) rollback(root Latency) float64 {
	for _, latency := range l.Latencies {
		if latency.Kind == topology.KindBulkRollback && latency.DBRoot == root.DBRoot {
			return latency.Seconds
		}
	}
	return root.Seconds
}
