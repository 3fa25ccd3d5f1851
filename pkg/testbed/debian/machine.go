//go:build linux

// Package debian gives tests a Debian machine with systemd as its first process, to install packages on and to run units
// in. It is a container (systemd-nspawn) that shares the network and the kernel with the test, and nothing else.
package debian

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// patience is how long a machine may take for what takes seconds, or a download, when it is idle.
const patience = 10 * time.Minute

// Machine is a running Debian 12, as its packages leave it: what a test changes is gone with the test.
type Machine struct {
	t      testing.TB
	root   string
	leader string // the process id of its systemd
}

// Boot starts a machine, which ends with the test. The first on a computer takes minutes: its root is made then.
func Boot(t testing.TB) *Machine {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("this test starts a container: run it as root")
	}
	for _, tool := range []string{"debootstrap", "systemd-nspawn", "nsenter"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%v: run `make deps`", err)
		}
	}
	m := &Machine{t: t, root: overlay(t, root(t))}
	m.Write("/etc/hostname", "node1\n")
	m.boot()
	m.await("the end of the boot", func() bool {
		state, _ := m.Try("systemctl is-system-running --wait") // its exit status is that of the state
		return state == "running\n" || state == "degraded\n"
	})
	return m
}

// Path is where the test finds a path of the machine.
func (m *Machine) Path(path string) string { return filepath.Join(m.root, path) }

// Write makes a file with its directories.
func (m *Machine) Write(path, content string) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(m.Path(path)), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(m.Path(path), []byte(content), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

// Run runs a shell script as root, which must succeed, and returns what it prints.
func (m *Machine) Run(script string) string {
	m.t.Helper()
	output, err := m.Try(script)
	if err != nil {
		m.t.Fatalf("%s: %v\n%s", script, err, output)
	}
	return output
}

// Try runs a shell script as root, and returns what it prints and how it ends.
func (m *Machine) Try(script string) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.t.Context()), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "nsenter", "--target="+m.leader, "--all", "--", "/bin/bash", "-ec", script)
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "HOME=/root", "DEBIAN_FRONTEND=noninteractive"}
	output, err := cmd.CombinedOutput()
	return string(output), err
}

// await polls until done reports true, which is to happen within patience.
func (m *Machine) await(what string, done func() bool) {
	m.t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			m.t.Fatalf("waited %v for %s", patience, what)
		}
	}
}
