//go:build linux

package throughput

import (
	"runtime"

	"github.com/prometheus/procfs/sysfs"
)

// PhysicalCores counts the physical cores with a CPU online, from the topology below a mount point of sysfs. CPUs that are
// threads of one core name the same siblings. Where there is no topology it is the number of CPUs that this process may
// run on.
func PhysicalCores(sys string) int {
	fs, err := sysfs.NewFS(sys)
	if err != nil {
		return runtime.NumCPU()
	}
	cpus, err := fs.CPUs()
	if err != nil {
		return runtime.NumCPU()
	}
	cores := make(map[string]struct{})
	for _, cpu := range cpus {
		// A CPU that is offline has no topology.
		if topology, err := cpu.Topology(); err == nil {
			cores[topology.ThreadSiblingsList] = struct{}{}
		}
	}
	if len(cores) == 0 {
		return runtime.NumCPU()
	}
	return len(cores)
}
