//go:build linux

package baseline

import "github.com/columnstore/columnstore_exporter/pkg/topology"

// Names of the published layouts.
const (
	Local                       = "local"
	NFSHA                       = "nfs_ha"
	NFSHALowLatencyBulkRollback = "nfs_ha_low_latency_bulkrollback"
)

// PublishedHost is the machine of the published figures.
const PublishedHost = "AWS, 4 vCPU, 16 GB"

// PublishedColumns is the number of columns of the published import; the number of its latencies scales with it.
const PublishedColumns = 250

// Published returns the reference table of MariaDB's guide "Measuring cpimport Performance Baseline with ioping": three
// layouts, ioping's mean per DBroot and the range of the import time.
func Published() []Layout {
	return []Layout{local(), nfsHA(), nfsHALowLatencyBulkRollback()}
}

func local() Layout {
	return Layout{
		Name: Local, Title: "Local storage", Host: PublishedHost,
		Latencies: []Latency{
			{"1", topology.KindDBRoot, 450e-6},
			{"2", topology.KindDBRoot, 475e-6},
			{"3", topology.KindDBRoot, 430e-6},
		},
		Ingest: &Bounds{Lower: 5, Upper: 6},
	}
}

func nfsHA() Layout {
	return Layout{
		Name: NFSHA, Title: "NFS HA", Host: PublishedHost,
		Latencies: []Latency{
			{"1", topology.KindDBRoot, 3.7e-3},
			{"2", topology.KindDBRoot, 3.1e-3},
			{"3", topology.KindDBRoot, 3.1e-3},
		},
		Ingest: &Bounds{Lower: 29, Upper: 32},
	}
}

func nfsHALowLatencyBulkRollback() Layout {
	return Layout{
		Name: NFSHALowLatencyBulkRollback, Title: "NFS HA + fast rollback", Host: PublishedHost,
		Latencies: []Latency{
			{"1", topology.KindDBRoot, 3.3e-3},
			{"1", topology.KindBulkRollback, 590e-6},
			{"2", topology.KindDBRoot, 3.2e-3},
			{"2", topology.KindBulkRollback, 560e-6},
			{"3", topology.KindDBRoot, 3.8e-3},
			{"3", topology.KindBulkRollback, 490e-6},
		},
		Ingest: &Bounds{Lower: 14, Upper: 15},
	}
}
