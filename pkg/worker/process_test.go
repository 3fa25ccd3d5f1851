package worker_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

func TestProcessIsShutOff(t *testing.T) {
	t.Setenv("SECRET", "xyzzy")
	p := newPool(t, func(o *worker.Options) { o.Env = []string{"A=b", "GOMAXPROCS=1"} })
	got := do[process](t, p, worker.Request{Worker: "8:1", Target: "t", Task: "self"})
	want := process{
		PID: got.PID, Group: got.PID, Procs: 2, Directory: "/", Env: []string{"A=b", "GOMAXPROCS=1"},
		Args: []string{os.Args[0], "child", "8:1"}, Name: filepath.Base(os.Args[0]),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("worker process (-want +got):\n%s", diff)
	}
}

func TestEnvironmentIsEmptyByDefault(t *testing.T) {
	t.Setenv("SECRET", "xyzzy")
	p := newPool(t, func(o *worker.Options) { o.Env = nil })
	got := do[process](t, p, worker.Request{Worker: "w", Target: "t", Task: "self"})
	if diff := cmp.Diff([]string(nil), got.Env, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

func TestNothingIsInheritedButPipes(t *testing.T) {
	listen(t, "127.0.0.1:0")
	// What the daemon's own parent left open has no close-on-exec.
	left, err := unix.Open(t.TempDir(), unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer closeFile(t, os.NewFile(uintptr(left), "left open"))

	p := newPool(t, nil)
	for _, name := range []string{"a", "b"} {
		for number, file := range descriptors(t, pid(t, p, name)) {
			switch {
			case number <= 2 && strings.HasPrefix(file, "pipe:"):
			case number > 2 && (strings.HasPrefix(file, "anon_inode:") || strings.HasPrefix(file, "/sys/fs/cgroup/")):
				// The Go runtime's own: its poller, and the limits that GOMAXPROCS follows.
			default:
				t.Errorf("worker %s has descriptor %d: %s", name, number, file)
			}
		}
	}
}

// descriptors returns what the descriptors of a process lead to.
func descriptors(t *testing.T, pid int) map[int]string {
	t.Helper()
	directory := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]string{}
	for _, e := range entries {
		number, err := strconv.Atoi(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if found[number], err = os.Readlink(filepath.Join(directory, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func TestCloseLeavesTimeToCleanUp(t *testing.T) {
	p := newPool(t, nil)
	answer := begin(t.Context(), p, worker.Request{Worker: "w", Target: "t", Task: "await", Params: 0.05})
	waitInFlight(t, p, "t", "await")
	p.Close()
	if err := receive(t, answer); err != nil {
		t.Errorf("handler that cleans up was cut off: %v", err)
	}
	eventually(t, "worker gone", func() bool { return p.Workers() == 0 })
}

func TestCloseDoesNotWaitForAStoppedWorker(t *testing.T) {
	p := newPool(t, nil)
	child := pid(t, p, "w")
	signal(t, child, unix.SIGSTOP)
	answer := begin(t.Context(), p, worker.Request{Worker: "w", Target: "t", Task: "echo"})
	waitInFlight(t, p, "t", "worker")
	hung := newPool(t, nil)
	path, _ := fifo(t)
	begin(t.Context(), hung, worker.Request{Worker: "w", Target: "t", Task: "open", Params: path})
	waitInFlight(t, hung, "t", "open")
	begun := time.Now()
	hung.Close()
	bound := time.Since(begun) // which a worker is waited for that hangs
	begun = time.Now()
	p.Close()
	if took := time.Since(begun); took > bound/2 {
		t.Errorf("Close took %s, and %s with a worker that hangs", took, bound)
	}
	if err := receive(t, answer); err == nil {
		t.Error("stopped worker did a task")
	}
	eventually(t, "stopped worker killed", func() bool { return !exists(child) })
	if _, err := p.Do(t.Context(), worker.Request{Worker: "w", Target: "t", Task: "echo"}); err == nil {
		t.Error("closed pool did a task")
	}
}
