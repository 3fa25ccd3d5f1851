//go:build nfs

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// TestNFS runs the static binary against a real NFS server, in the guest that testbed boots.
func TestNFS(t *testing.T) {
	script, err := os.ReadFile("testdata/nfs/probe.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "columnstore_exporter"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out := testbed.NFS(t, dir, string(script))
	t.Log(out)
	if !strings.Contains(out, "== done") {
		t.Error("the script did not come to its end")
	}
}
