//go:build linux

// Package testbed gives tests the real things that the exporter meets: file systems that can be frozen, an NFS server, a
// Prometheus. Each bed is gone when its test ends. What a bed needs and does not find fails the test, with what to install.
package testbed

import (
	"context"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"
)

// patience is how long a bed waits for what takes seconds on an idle machine.
const patience = 2 * time.Minute

// command is a command that outlives the test's own context: cleanups run such, too.
func command(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Fatalf("%v: run `make deps`", err)
	}
	return exec.CommandContext(context.WithoutCancel(t.Context()), name, args...)
}

// Must runs a command, which must succeed, and returns what it prints on both of its streams.
func Must(t testing.TB, cmd *exec.Cmd) string {
	t.Helper()
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, output)
	}
	return string(output)
}

// Static runs the go command so that the program it makes runs where nothing else is installed.
func Static(t testing.TB, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	Must(t, cmd)
}

// needRoot fails a test that lacks the privileges to mount.
func needRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("this test mounts file systems: run it as root")
	}
}

// FreeAddress returns a loopback address on a port that was free a moment ago, as host:port.
func FreeAddress(t testing.TB) string {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
