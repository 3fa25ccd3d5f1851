//go:build nfs

package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

var nfsFile = flag.String("nfs-document", "", "the file into which TestNFS writes what it has seen")

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
	if *nfsFile != "" {
		testbed.Document(t, *nfsFile, "What was seen on real NFS", "make test-nfs", describeNFS(out))
	}
}

// nfsIntro begins the report.
const nfsIntro = `The daemon as it is shipped, on two mounts of one export of the kernel's NFS server, in a virtual machine that emulates its
processors, so that times are upper bounds: /mnt/nfs with vers=4.2,hard and /mnt/v3 with vers=3,hard. A run is every 4 s, a
read every 400 ms.

| What | Seen |
|---|---|
`

// describeNFS makes a table of the script's lines that begin with seen.
func describeNFS(out string) string {
	var b strings.Builder
	b.WriteString(nfsIntro)
	for line := range strings.Lines(out) {
		if row, ok := strings.CutPrefix(strings.TrimSpace(line), "seen: "); ok {
			fmt.Fprintf(&b, "| %s |\n", row)
		}
	}
	return b.String()
}
