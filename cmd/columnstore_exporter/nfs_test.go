//go:build nfs

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// nfsReport in the environment names the file to write what was seen to.
const nfsReport = "NFS_REPORT"

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
	if report := os.Getenv(nfsReport); report != "" {
		if err := os.WriteFile(report, []byte(describeNFS(out)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// nfsIntro begins the report.
const nfsIntro = `# What was seen on real NFS

<!-- Written by make test-nfs: do not edit. -->

The daemon as it is shipped, on two mounts of one export of the kernel's NFS server, in a virtual machine that emulates its
processors: its times are upper bounds, and slow. /mnt/nfs is mounted with vers=4.2,hard, /mnt/v3 with vers=3,hard; a run is
every 4 s, a read every 400 ms.

%s, %s, commit %s.

| What | Seen |
|---|---|
`

// describeNFS makes a table of the script's lines that begin with seen.
func describeNFS(out string) string {
	var b strings.Builder
	fmt.Fprintf(&b, nfsIntro, time.Now().UTC().Format(time.DateOnly), machine(), commit())
	for line := range strings.Lines(out) {
		if row, ok := strings.CutPrefix(strings.TrimSpace(line), "seen: "); ok {
			fmt.Fprintf(&b, "| %s |\n", row)
		}
	}
	return b.String()
}
