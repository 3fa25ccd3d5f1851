//go:build linux

package baseline

import (
	"slices"

	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// Means is the mean read latency of each kind of directory in seconds, over the DBroots; 0 where it is unknown.
type Means struct {
	DBRoot       float64 `json:"dbroot_seconds"`
	BulkRollback float64 `json:"bulkrollback_seconds"`
	// Assumed are the DBroots whose bulkRollback is not there yet. The first import creates it inside the DBroot, so that
	// the DBroot's latency stands for it.
	Assumed []string `json:"assumed_bulkrollback,omitempty"`
	// Complete tells that every DBroot of the node contributed.
	Complete bool `json:"complete"`
}

// MeansOf returns the means of a node. Directories whose last run did not measure the storage (failed, hung, answered from
// a cache) do not count.
func MeansOf(directories []Directory) Means {
	var roots, rollbacks mean
	means := Means{Complete: true}
	for _, d := range directories {
		if d.Kind == topology.KindExtra {
			continue
		}
		seconds, measured := d.latency()
		assumed := d.Kind == topology.KindDBRoot && !slices.ContainsFunc(directories, rollbackOf(d))
		if assumed {
			means.Assumed = append(means.Assumed, d.DBRoot)
		}
		if measured && d.Kind == topology.KindDBRoot {
			roots.add(seconds)
		}
		if measured && (assumed || d.Kind == topology.KindBulkRollback) {
			rollbacks.add(seconds)
		}
		means.Complete = means.Complete && (measured || d.absentRollback())
	}
	means.DBRoot, means.BulkRollback = roots.value(), rollbacks.value()
	means.Complete = means.Complete && roots.count > 0
	return means
}

// rollbackOf finds the bulkRollback of root that is there.
func rollbackOf(root Directory) func(Directory) bool {
	return func(d Directory) bool {
		return d.Kind == topology.KindBulkRollback && d.DBRoot == root.DBRoot && !d.absentRollback()
	}
}

func (d Directory) absentRollback() bool {
	return d.Kind == topology.KindBulkRollback && d.State == topology.StateAbsent
}

// mean is a running arithmetic mean.
type mean struct {
	sum   float64
	count int
}

func (m *mean) add(x float64) {
	m.sum += x
	m.count++
}

// value is 0 before the first add.
func (m *mean) value() float64 {
	if m.count == 0 {
		return 0
	}
	return m.sum / float64(m.count)
}

// longest is the longest latency or import time, in seconds, that is taken for one: a day.
const longest = 86400

// known tells a time that can be reckoned with from 0, NaN, the infinite and the absurd.
func known(seconds float64) bool {
	return seconds > 0 && seconds <= longest
}
