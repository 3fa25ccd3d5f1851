package worker_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// state is what a daemon under test tells of itself.
type state struct {
	Address string
	Worker  int
}

// daemon listens on a port, lets a worker of that role hang in a write to the path, says so, and ends on SIGTERM.
func daemon(ctx context.Context, role, path string) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	terminate := make(chan os.Signal, 1)
	ossignal.Notify(terminate, unix.SIGTERM)
	p := worker.NewPool(worker.Options{Args: []string{role}})
	defer p.Close()
	answer, err := p.Do(ctx, worker.Request{Worker: "w", Target: "self", Task: "self"})
	if err != nil {
		return err
	}
	var child process
	err = json.Unmarshal(answer, &child)
	if err != nil {
		return err
	}
	begin(ctx, p, worker.Request{Worker: "w", Target: "t", Task: "write", Params: path})
	for {
		if op, ok := p.InFlight("t"); ok && op.Name == "write" {
			break
		}
		time.Sleep(time.Millisecond)
	}
	err = json.NewEncoder(os.Stdout).Encode(state{listener.Addr().String(), child.PID})
	if err != nil {
		return err
	}
	<-terminate
	return nil
}

// startDaemon runs this binary as a daemon whose worker, of that role, hangs in a write to the path.
func startDaemon(t *testing.T, role, path string) (*exec.Cmd, state) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "daemon", role, path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err = cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var s state
	if err := json.Unmarshal(line, &s); err != nil {
		t.Fatal(err)
	}
	return cmd, s
}

// listen takes the port until the test ends.
func listen(t *testing.T, address string) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeFile(t, listener) })
}

// frozen makes an XFS on a loop device and freezes it: every write hangs in the kernel, in state D, until thaw.
func frozen(t *testing.T) (directory string, thaw func()) {
	t.Helper()
	image := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, 300<<20); err != nil {
		t.Fatal(err)
	}
	directory = t.TempDir()
	run(t, "mkfs.xfs", "-q", image) // apt-get install xfsprogs
	run(t, "mount", "-o", "loop", image, directory)
	t.Cleanup(func() { run(t, "umount", "--lazy", directory) })
	run(t, "fsfreeze", "-f", directory)
	thawed := false
	thaw = func() {
		if !thawed {
			thawed = true
			run(t, "fsfreeze", "-u", directory)
		}
	}
	t.Cleanup(thaw)
	return directory, thaw
}

// inKernel tells whether a thread of the process is in state D.
func inKernel(pid int) bool { return slices.Contains(threadStates(pid), 'D') }

func TestDaemonExitsWhileItsWorkerIsInTheKernel(t *testing.T) {
	directory, thaw := frozen(t)
	cmd, s := startDaemon(t, "child", filepath.Join(directory, "file"))
	eventually(t, "worker in state D", func() bool { return inKernel(s.Worker) })

	begun := time.Now()
	signal(t, cmd.Process.Pid, unix.SIGTERM)
	if err := cmd.Wait(); err != nil {
		t.Errorf("daemon ended: %v", err)
	}
	took := time.Since(begun)
	t.Logf("exit took %s", took)
	if took > 3*time.Second {
		t.Errorf("exit took %s", took)
	}
	if !inKernel(s.Worker) {
		t.Error("worker is not in state D any more: nothing was shown")
	}
	listen(t, s.Address)
	thaw()
	eventually(t, "worker gone once its storage is back", func() bool { return !exists(s.Worker) })
}

func TestLostWorkerKeepsItsTargetsWhileItIsInTheKernel(t *testing.T) {
	p := newPool(t, nil)
	directory, thaw := frozen(t)
	child := pid(t, p, "w")
	answer := begin(t.Context(), p, worker.Request{Worker: "w", Target: "t", Task: "write", Params: filepath.Join(directory, "file")})
	op := waitInFlight(t, p, "t", "write")
	eventually(t, "worker in state D", func() bool { return inKernel(child) })
	signal(t, child, unix.SIGKILL)

	other := worker.Request{Worker: "other", Target: "t", Task: "echo"}
	if _, err := p.Do(t.Context(), other); !errors.Is(err, worker.ErrInFlight) {
		t.Errorf("error %v, want ErrInFlight", err)
	}
	if got, ok := p.InFlight("t"); !ok || got != op {
		t.Errorf("%v in flight, want %v", got, op)
	}
	neighbour := begin(t.Context(), p, worker.Request{Worker: "w", Target: "neighbour", Task: "echo"})
	waitInFlight(t, p, "neighbour", "worker")
	if got := p.Workers(); got != 1 {
		t.Errorf("%d workers, want the killed one, which still exists, and no second one", got)
	}
	thaw()
	if err := receive(t, answer); err != nil && !errors.Is(err, worker.ErrWorker) {
		t.Errorf("error %v, want ErrWorker", err)
	}
	if err := receive(t, neighbour); !errors.Is(err, worker.ErrWorker) {
		t.Errorf("error %v, want ErrWorker", err)
	}
	eventually(t, "target free", func() bool {
		_, err := p.Do(t.Context(), other)
		return err == nil
	})
}

func TestWorkerThatIsGivenUpButStaysInTheKernelIsNotDoubled(t *testing.T) {
	p := newPool(t, nil)
	directory, thaw := frozen(t)
	child := pid(t, p, "w")
	hung := begin(t.Context(), p, worker.Request{Worker: "w", Target: "t", Task: "write", Params: filepath.Join(directory, "file")})
	op := waitInFlight(t, p, "t", "write")
	eventually(t, "worker in state D", func() bool { return inKernel(child) })
	garbled := begin(t.Context(), p, worker.Request{Worker: "w", Target: "u", Task: "garble"})

	for _, answer := range []<-chan error{garbled, hung} {
		if err := receive(t, answer); !errors.Is(err, worker.ErrWorker) || !strings.Contains(err.Error(), "not gone") {
			t.Errorf("error %v, want ErrWorker for a process that is not gone", err)
		}
	}
	if _, err := p.Do(t.Context(), worker.Request{Worker: "other", Target: "t", Task: "echo"}); !errors.Is(err, worker.ErrInFlight) {
		t.Errorf("error %v, want ErrInFlight", err)
	}
	if got, ok := p.InFlight("t"); !ok || got != op {
		t.Errorf("%v in flight, want %v", got, op)
	}

	next := worker.Request{Worker: "w", Target: "neighbour", Task: "echo"}
	var successor <-chan error
	eventually(t, "end of the back-off", func() bool {
		successor = begin(t.Context(), p, next)
		select {
		case err := <-successor:
			if !errors.Is(err, worker.ErrWorker) {
				t.Fatalf("error %v, want ErrWorker", err)
			}
			return false
		case <-time.After(100 * time.Millisecond):
			return true
		}
	})
	waitInFlight(t, p, "neighbour", "worker")
	if got := p.Workers(); got != 1 {
		t.Errorf("%d workers, want the one in the kernel alone", got)
	}
	thaw()
	if err := receive(t, successor); err != nil {
		t.Errorf("the process that comes after: %v", err)
	}
}

func TestWorkerDiesWithTheDaemon(t *testing.T) {
	path, _ := fifo(t)
	cmd, s := startDaemon(t, "deaf child", path)
	signal(t, cmd.Process.Pid, unix.SIGKILL)
	if err := cmd.Wait(); err == nil {
		t.Error("killed daemon ended well")
	}
	eventually(t, "worker gone", func() bool { return !exists(s.Worker) })
}

func TestWorkerOutlivesTheThreadThatAskedForIt(t *testing.T) {
	p := newPool(t, nil)
	asked := make(chan int)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine
		asked <- pid(t, p, "w")
	}()
	child := <-asked
	for range 100 {
		if got := pid(t, p, "w"); got != child {
			t.Fatalf("process %d became %d", child, got)
		}
	}
}
