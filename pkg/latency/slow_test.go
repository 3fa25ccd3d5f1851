package latency_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
)

// slowStorageVariable makes the test binary a server of slow storage: in a process of its own, as storage is, it does
// not compete for the threads of the one that measures. Its value is the delay of a read.
const slowStorageVariable = "SLOW_STORAGE"

func TestMain(m *testing.M) {
	if delay, set := os.LookupEnv(slowStorageVariable); set {
		if err := serveSlowStorage(delay, os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// serveSlowStorage serves until its input ends.
func serveSlowStorage(delay, backing, mountpoint string) error {
	d, err := time.ParseDuration(delay)
	if err != nil {
		return err
	}
	f, err := faultfs.New(backing, mountpoint, faultfs.Options{})
	if err != nil {
		return err
	}
	f.Set(faultfs.Read, faultfs.Fault{Delay: d})
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return f.Close()
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

// slowStorage returns a directory in which each read takes as long as said.
func slowStorage(t testing.TB, delay time.Duration) string {
	t.Helper()
	mountpoint := t.TempDir()
	server := exec.Command(os.Args[0], t.TempDir(), mountpoint)
	// There is one request at a time, and a server that wakes helpers for it takes longer.
	server.Env = append(os.Environ(), slowStorageVariable+"="+delay.String(), "GOMAXPROCS=1")
	server.Stderr = os.Stderr
	input, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := input.Close(); err != nil {
			t.Error(err)
		}
		if err := server.Wait(); err != nil {
			t.Errorf("server of slow storage: %v", err)
		}
	})
	if line, err := bufio.NewReader(output).ReadString('\n'); line != "ready\n" {
		t.Fatalf("server of slow storage said %q, %v; it needs root and /dev/fuse", line, err)
	}
	return mountpoint
}
