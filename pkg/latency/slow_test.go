package latency_test

import (
	"runtime"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
)

func TestMain(m *testing.M) {
	faultfs.Main()
	goleak.VerifyTestMain(m)
}

// onOneProcessor keeps the test and the processes that it starts on one processor. Where a request has to wake another
// processor for the server, and the answer the first one, a virtual machine takes a third of a millisecond for that.
func onOneProcessor(t testing.TB) {
	t.Helper()
	runtime.LockOSThread()
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	for cpu := 0; one.Count() == 0; cpu++ {
		if all.IsSet(cpu) {
			one.Set(cpu)
		}
	}
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.SchedSetaffinity(0, &all); err != nil {
			t.Error(err)
		}
		runtime.UnlockOSThread()
	})
}
