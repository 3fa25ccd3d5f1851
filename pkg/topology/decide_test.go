//go:build linux

package topology_test

import (
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

func TestDecide(t *testing.T) {
	on := func(resolved, mountpoint string, id uint64, device string) topology.Facts {
		return topology.Facts{
			State: topology.StatePresent, Resolved: resolved, Mountpoint: mountpoint,
			Mount: topology.Mount{ID: id, Device: device},
		}
	}
	absent := func(f topology.Facts) topology.Facts {
		f.State = topology.StateAbsent
		return f
	}
	failed := topology.Facts{State: topology.StateUnknown, Error: "open /srv/data1: stale file handle"}
	data1 := on("/srv/data1", "/srv/data1", 40, "8:1")
	bulk := on("/srv/data1/bulkRollback", "/srv/data1", 40, "8:1")
	tests := []struct {
		name       string
		found, now topology.Facts
		want       topology.Decision
	}{
		{"first look", topology.Facts{}, data1, topology.Adopt},
		{"first look after a failed one", failed, data1, topology.Adopt},
		{"nothing changed", data1, data1, topology.Keep},
		{"look failed", data1, failed, topology.Keep},
		{"remounted", data1, on("/srv/data1", "/srv/data1", 41, "8:1"), topology.Adopt},
		{"another device with the mount's old ID", data1, on("/srv/data1", "/srv/data1", 40, "8:2"), topology.Adopt},
		{"mount gone", data1, on("/srv/data1", "/", 26, "254:0"), topology.Lost},
		{"mount gone down to another one", data1, on("/srv/data1", "/srv", 30, "8:9"), topology.Lost},
		{"mount gone with what was below it", on("/srv/x/data1", "/srv/x", 40, "8:1"), absent(on("/srv/x/data1", "/", 26, "254:0")), topology.Lost},
		{"bulkRollback on a mount that is gone", bulk, absent(on("/srv/data1/bulkRollback", "/", 26, "254:0")), topology.Lost},
		{"bulkRollback made", absent(bulk), bulk, topology.Keep},
		{"bulkRollback removed", bulk, absent(bulk), topology.Keep},
		{"bulkRollback gets a mount of its own", bulk, on("/srv/data1/bulkRollback", "/srv/data1/bulkRollback", 50, "8:3"), topology.Adopt},
		{"bulkRollback's own mount gone", on("/srv/data1/bulkRollback", "/srv/data1/bulkRollback", 50, "8:3"), bulk, topology.Lost},
		{"symlink led elsewhere", bulk, on("/fast/bulk1", "/fast", 60, "8:5"), topology.Adopt},
		{"symlink led to the root file system", data1, on("/var/data1", "/", 26, "254:0"), topology.Adopt},
		{"behind the symlink the mount gone", on("/fast/bulk1", "/fast", 60, "8:5"), on("/fast/bulk1", "/", 26, "254:0"), topology.Lost},
		{"neighbour with the same beginning", data1, on("/srv/data10", "/srv", 30, "8:9"), topology.Adopt},
		{"on the root file system", on("/srv/a", "/", 26, "254:0"), on("/srv/a", "/", 26, "254:0"), topology.Keep},
		{"first mount under it", on("/srv/a", "/", 26, "254:0"), on("/srv/a", "/srv", 30, "8:9"), topology.Adopt},
		{"mount moved", data1, on("/mnt/data1", "/mnt/data1", 40, "8:1"), topology.Adopt},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := topology.Decide(tt.found, tt.now); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
