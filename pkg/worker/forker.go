//go:build linux

package worker

import (
	"errors"
	"math"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

var errClosed = errors.New("pool is closed")

// forker starts processes from one OS thread that lives as long as the pool: the kernel kills a child with Pdeathsig
// when the thread that forked it ends, not only when the process does.
type forker struct {
	orders chan func()
	quit   chan struct{}
}

func newForker() *forker {
	f := &forker{orders: make(chan func()), quit: make(chan struct{})}
	go f.loop()
	return f
}

func (f *forker) loop() {
	runtime.LockOSThread() // never unlocked: the thread ends here, and what is left of the children with it
	for {
		select {
		case order := <-f.orders:
			order()
		case <-f.quit:
			return
		}
	}
}

func (f *forker) stop() { close(f.quit) }

// start runs a program with those three files as its only ones. It leads a process group of its own, so that a
// terminal's Ctrl-C does not reach it, and holds no directory busy.
func (f *forker) start(path string, argv, env []string, files [3]*os.File) (*os.Process, error) {
	type answer struct {
		child *os.Process
		err   error
	}
	answers := make(chan answer, 1)
	order := func() {
		child, err := os.StartProcess(path, argv, &os.ProcAttr{
			Dir:   "/",
			Env:   env,
			Files: files[:],
			Sys:   &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true},
		})
		answers <- answer{child, err}
	}
	select {
	case f.orders <- order:
		a := <-answers
		return a.child, a.err
	case <-f.quit:
		return nil, errClosed
	}
}

// keepToOurselves marks every descriptor but the standard ones close-on-exec. Go does so with its own; this is for those
// that the process was itself started with, which a hung child would hold long after the daemon.
func keepToOurselves() {
	// Kernels before 5.11 do not know the call; nothing more can be done there.
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
}
