package throughput_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// cpus writes a topology: the siblings of each CPU; none for one that is offline.
func cpus(t *testing.T, siblings map[string]string) (sys string) {
	t.Helper()
	sys = t.TempDir()
	for cpu, list := range siblings {
		directory := filepath.Join(sys, "devices/system/cpu", cpu)
		if err := os.MkdirAll(filepath.Join(directory, "topology"), 0o750); err != nil {
			t.Fatal(err)
		}
		if list == "" {
			continue
		}
		for name, text := range map[string]string{"core_id": "0", "physical_package_id": "0", "core_siblings_list": "0-7", "thread_siblings_list": list} {
			if err := os.WriteFile(filepath.Join(directory, "topology", name), []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return sys
}

func TestPhysicalCores(t *testing.T) {
	cases := map[string]struct {
		siblings map[string]string
		want     int
	}{
		"two threads a core":      {map[string]string{"cpu0": "0,2", "cpu1": "1,3", "cpu2": "0,2", "cpu3": "1,3"}, 2},
		"one thread a core":       {map[string]string{"cpu0": "0", "cpu1": "1", "cpu10": "10"}, 3},
		"a thread offline":        {map[string]string{"cpu0": "0", "cpu1": "1,3", "cpu2": "", "cpu3": "1,3"}, 2},
		"a core offline":          {map[string]string{"cpu0": "0,2", "cpu1": "", "cpu2": "0,2", "cpu3": ""}, 1},
		"cores of like numbers":   {map[string]string{"cpu0": "0", "cpu1": "1"}, 2},
		"no topology to be found": {nil, runtime.NumCPU()},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := throughput.PhysicalCores(cpus(t, c.siblings)); got != c.want {
				t.Errorf("PhysicalCores() = %d, want %d", got, c.want)
			}
		})
	}
	if got := throughput.PhysicalCores("/absent"); got != runtime.NumCPU() {
		t.Errorf("PhysicalCores() without sysfs = %d, want %d", got, runtime.NumCPU())
	}
}

func TestThreadsAreTheCores(t *testing.T) {
	spec := small(t.TempDir(), throughput.Write)
	spec.Threads, spec.MaxBytes = 0, 1<<30
	if r, want := runOne(t, spec), throughput.PhysicalCores("/sys"); r.Threads != want {
		t.Errorf("%d threads, want one for each of %d cores", r.Threads, want)
	}
}
