package worker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// patience bounds what should happen at once, on a machine that is busy with other things.
const patience = 20 * time.Second

// newPool returns a pool of this binary as worker.
func newPool(t testing.TB, change func(*worker.Options)) *worker.Pool {
	t.Helper()
	opts := worker.Options{
		Args: []string{"child"},
		Env:  []string{"GORACE=atexit_sleep_ms=0"}, // otherwise a worker with the race detector takes a second to exit
	}
	if change != nil {
		change(&opts)
	}
	p := worker.NewPool(opts)
	t.Cleanup(p.Close)
	return p
}

// do does a task that should go well and returns its result.
func do[R any](t testing.TB, p *worker.Pool, req worker.Request) R {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	raw, err := p.Do(ctx, req)
	if err != nil {
		t.Fatalf("task %s on %s: %v", req.Task, req.Target, err)
	}
	var result R
	if err := json.Unmarshal(raw, &result); err != nil {
		t.Fatalf("result of %s: %v", req.Task, err)
	}
	return result
}

// begin starts a task and returns where its error arrives.
func begin(ctx context.Context, p *worker.Pool, req worker.Request) <-chan error {
	answer := make(chan error, 1)
	go func() {
		_, err := p.Do(ctx, req)
		answer <- err
	}()
	return answer
}

// receive waits for an answer.
func receive(t testing.TB, answer <-chan error) error {
	t.Helper()
	select {
	case err := <-answer:
		return err
	case <-time.After(patience):
		t.Fatal("no answer")
		return nil
	}
}

// eventually waits until the condition holds.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %s", what, patience)
		}
	}
}

// waitInFlight waits until that operation is in flight on the target.
func waitInFlight(t testing.TB, p *worker.Pool, target, name string) worker.Operation {
	t.Helper()
	var op worker.Operation
	eventually(t, name+" in flight on "+target, func() bool {
		var ok bool
		op, ok = p.InFlight(target)
		return ok && op.Name == name
	})
	return op
}

// fifo makes a FIFO, in which open(2) hangs until release is called.
func fifo(t testing.TB) (path string, release func()) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	release = func() {
		// Without a reader there is nobody to release.
		if f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0); err == nil {
			closeFile(t, f)
		}
	}
	t.Cleanup(release)
	return path, release
}

// pid asks the worker for its process id.
func pid(t testing.TB, p *worker.Pool, name string) int {
	t.Helper()
	return do[process](t, p, worker.Request{Worker: name, Target: "self of " + name, Task: "self"}).PID
}

func signal(t testing.TB, pid int, s unix.Signal) {
	t.Helper()
	if err := unix.Kill(pid, s); err != nil {
		t.Fatalf("send %s to process %d: %v", s, pid, err)
	}
}

// exists tells whether a thread of the process has not ended. The first one may have, and shows as Z, while another
// hangs in the kernel; one that only waits to be reaped is gone.
func exists(pid int) bool {
	for _, state := range threadStates(pid) {
		if state != 'Z' && state != 'X' {
			return true
		}
	}
	return false
}

// threadStates returns the states of a process's threads, as proc(5) has them.
func threadStates(pid int) (states []byte) {
	// The pattern is well-formed, so there is no error.
	stats, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, stat := range stats {
		b, err := os.ReadFile(stat)
		if err != nil {
			continue // the thread has ended
		}
		if _, after, ok := strings.Cut(string(b), ") "); ok {
			states = append(states, after[0])
		}
	}
	return states
}

func closeFile(t testing.TB, file io.Closer) {
	t.Helper()
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}

// run runs a tool of the system.
func run(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(context.Background(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}
