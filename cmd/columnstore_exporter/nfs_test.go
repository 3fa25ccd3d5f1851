//go:build nfs

package main

import (
	"os"
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
	out := testbed.NFS(t, filepath.Dir(build(t)), string(script))
	t.Log(out)
	if !strings.Contains(out, "== done") {
		t.Error("the script did not come to its end")
	}
}
