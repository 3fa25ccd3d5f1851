//go:build linux

// Package debian gives tests a Debian machine with systemd as its first process, to install packages on and to run units
// in. It is a container (systemd-nspawn) that shares the network and the kernel with the test, and nothing else.
package debian

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long a machine may take for what takes seconds when it is idle.
const patience = 2 * time.Minute

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

// overlay returns a directory that shows lower, and keeps changes to itself.
func overlay(t testing.TB, lower string) string {
	t.Helper()
	dir := t.TempDir()
	merged := filepath.Join(dir, "root")
	for _, name := range []string{"root", "upper", "work"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s/upper,workdir=%s/work", lower, dir, dir)
	if err := unix.Mount("overlay", merged, "overlay", 0, options); err != nil {
		t.Fatalf("mount an overlay on %s: %v", merged, err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(merged, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", merged, err)
		}
	})
	return merged
}

// boot starts the container and finds its first process.
func (m *Machine) boot() {
	m.Write("/etc/hostname", "node1\n")
	name := "test-" + strings.ToLower(rand.Text()[:12])
	var console bytes.Buffer
	cmd := exec.CommandContext(context.WithoutCancel(m.t.Context()), "systemd-nspawn", "--directory="+m.root, "--machine="+name,
		"--register=no", "--keep-unit", "--link-journal=no", "--resolv-conf=off", "--timezone=off",
		"--console=pipe", "--boot", "systemd.show_status=false")
	cmd.Stdout, cmd.Stderr = &console, &console
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // a signal ends it
		close(ended)
	}()
	m.t.Cleanup(func() {
		// The first asks for a halt, the second for an immediate end.
		m.await("the end of the container", func() bool {
			_ = cmd.Process.Signal(unix.SIGTERM) // it may have ended by itself
			select {
			case <-ended:
				return true
			default:
				return false
			}
		})
		if m.t.Failed() {
			m.t.Logf("console:\n%s", console.String())
		}
		os.RemoveAll(filepath.Join("/run/systemd/nspawn/propagate", name)) // nspawn leaves it where /run is no tmpfs
	})
	children := fmt.Sprintf("/proc/%d/task/%d/children", cmd.Process.Pid, cmd.Process.Pid)
	m.await("systemd in the container", func() bool {
		text, err := os.ReadFile(children)
		if err != nil {
			m.t.Fatalf("the container has ended: %v", err)
		}
		m.leader = strings.TrimSpace(string(text))
		name, err := os.ReadFile("/proc/" + m.leader + "/comm")
		return err == nil && string(name) == "systemd\n"
	})
}

// must runs a command, which must succeed.
func must(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, output)
	}
}
