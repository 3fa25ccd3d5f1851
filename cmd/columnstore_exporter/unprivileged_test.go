package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// TestDaemonWithGroupAccessAlone runs as a user to whom ColumnStore's group gives one DBroot for writing and another for
// reading. It has to run as root, who may become anybody.
func TestDaemonWithGroupAccessAlone(t *testing.T) {
	const engine, user, group = 4321, 4322, 2345
	base := t.TempDir()
	if err := os.Chmod(filepath.Dir(base), 0o755); err != nil {
		t.Fatal(err)
	}
	directory := func(name string, owner int, mode os.FileMode) string {
		path := filepath.Join(base, name)
		if err := errors.Join(os.Mkdir(path, 0), os.Chown(path, owner, group), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	writable, readable, state := directory("data1", engine, 0o770), directory("data2", engine, 0o750), directory("state", user, 0o700)
	program := build(t)
	if err := errors.Join(os.Chmod(filepath.Dir(filepath.Dir(program)), 0o755), os.Chmod(program, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: group}}
	cmd.Dir = base
	p := execute(t, cmd, fast("DBROOTS="+writable+","+readable, "STATE_DIR="+state, "LISTEN_ADDRESS="+testbed.FreeAddress(t))...)

	p.expect(series("success", writable), is(1))
	p.expect(series("commit_latency_seconds_count", writable), above(0))
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(writable, ".columnstore_exporter-"+host+".probe"))
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != user || st.Gid != group || info.Mode() != 0o600 { //nolint:errcheck // Linux
		t.Errorf("the probe file belongs to %d:%d, mode %v", st.Uid, st.Gid, info.Mode())
	}

	second := func(name, labels string) string {
		return strings.Replace(series(name, readable, labels), `dbroot="1"`, `dbroot="2"`, 1)
	}
	p.expect(second("success", ""), is(0))
	p.expect(second("read_failures_total", `,reason="eacces"`), above(0))
	targets := p.status().Targets
	i := slices.IndexFunc(targets, func(t status.Target) bool { return t.Directory == readable })
	if text := targets[i].Error; !strings.Contains(text, readable) || !strings.Contains(text, "permission denied") {
		t.Errorf("the trouble is told as %q", text)
	}
	if code, _ := p.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
