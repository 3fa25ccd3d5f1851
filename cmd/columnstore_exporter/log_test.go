package main

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// blockedPipe returns the end of a full pipe that nobody reads: a write to it hangs.
func blockedPipe(t *testing.T) *os.File {
	t.Helper()
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(ends[0]) })
	for {
		if _, err := unix.Write(ends[1], make([]byte, unix.PathMax)); errors.Is(err, unix.EAGAIN) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.SetNonblock(ends[1], false); err != nil {
		t.Fatal(err)
	}
	end := os.NewFile(uintptr(ends[1]), "full pipe")
	t.Cleanup(func() { _ = end.Close() })
	return end
}

// journald stands still when the disk under its journal does.
func TestDaemonOutlivesAHangingLog(t *testing.T) {
	dir, address := t.TempDir(), testbed.FreeAddress(t)
	cmd := exec.Command(os.Args[0])
	cmd.Stderr = blockedPipe(t)
	p := execute(t, cmd, fast(dbroot(dir), "LISTEN_ADDRESS="+address, "LOG_LEVEL=debug")...)
	p.expect(series("success", dir), is(1))
	p.answersQuickly()
	if code, took := p.stop(); code != 0 || took > exitBound {
		t.Errorf("exit code %d after %s", code, took)
	}
}
