//go:build linux

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

	"golang.org/x/sys/unix"
)

// container is a running systemd-nspawn.
type container struct {
	cmd     *exec.Cmd
	console *bytes.Buffer // to be read once it has ended
	ended   chan struct{}
}

// boot starts the container and finds its first process.
func (m *Machine) boot() {
	name := "test-" + strings.ToLower(rand.Text()[:12])
	groups, err := newCgroups(name)
	m.t.Cleanup(func() {
		m.await("the end of the container's processes", func() bool { return groups.remove() == nil })
	})
	if err != nil {
		m.t.Fatal(err)
	}
	args := groups.command("systemd-nspawn", "--directory="+m.root, "--machine="+name, "--register=no", "--keep-unit",
		"--link-journal=no", "--resolv-conf=off", "--timezone=off", "--console=pipe", "--boot", "systemd.show_status=false")
	c := container{
		cmd:     exec.CommandContext(context.WithoutCancel(m.t.Context()), args[0], args[1:]...),
		console: &bytes.Buffer{}, ended: make(chan struct{}),
	}
	c.cmd.Stdout, c.cmd.Stderr = c.console, c.console
	if err := c.cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	go func() {
		_ = c.cmd.Wait() // a signal ends it
		close(c.ended)
	}()
	m.t.Cleanup(func() {
		m.end(c)
		os.RemoveAll(filepath.Join("/run/systemd/nspawn/propagate", name)) // nspawn leaves it where /run is no tmpfs
	})
	m.await("systemd in the container", func() bool {
		if c.over() {
			m.t.Fatal("the container has ended")
		}
		m.leader = c.child()
		name, err := os.ReadFile("/proc/" + m.leader + "/comm")
		return err == nil && string(name) == "systemd\n"
	})
}

// child returns the process id of the first process in the container, which is the only child of systemd-nspawn.
func (c container) child() string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%[1]d/task/%[1]d/children", c.cmd.Process.Pid)) // there is none yet
	return strings.TrimSpace(string(text))
}

// over tells whether the container has ended.
func (c container) over() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// end ends the container: the first SIGTERM asks for a halt, the second for an immediate end.
func (m *Machine) end(c container) {
	m.await("the end of the container", func() bool {
		_ = c.cmd.Process.Signal(unix.SIGTERM) // it may have ended by itself
		return c.over()
	})
	if m.t.Failed() {
		m.t.Logf("console:\n%s", c.console.String())
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
