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
	"github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/mariadbtest"
)

var nfsFile = flag.String("nfs-document", "", "the file into which TestNFS writes what it has seen")

// nfsScripts is the directory of the scripts.
const nfsScripts = "testdata/nfs"

// TestNFS runs the static binary against a real NFS server, in the guest that testbed boots, a guest for each script.
func TestNFS(t *testing.T) {
	programs := filepath.Dir(build(t))
	packForNFS(t, programs)
	var report strings.Builder
	report.WriteString(nfsIntro)
	for _, part := range []struct{ script, title string }{{"probe.sh", "Probes"}, {"imports.sh", "Import trials"}} {
		t.Run(part.script, func(t *testing.T) {
			script, err := os.ReadFile(filepath.Join(nfsScripts, part.script))
			if err != nil {
				t.Fatal(err)
			}
			out := testbed.NFS(t, programs, string(script))
			t.Log(out)
			if !strings.Contains(out, "== done") {
				t.Error("the script did not come to its end")
			}
			fmt.Fprintf(&report, "\n## %s\n\n%s", part.title, describeNFS(out))
		})
	}
	if *nfsFile != "" && !t.Failed() {
		testbed.Document(t, *nfsFile, "What was seen on real NFS", "make test-nfs", report.String())
	}
}

// packForNFS puts what the scripts run besides the exporter into a directory, which the guest has at /trial.
func packForNFS(t *testing.T, dir string) {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS(nfsScripts)); err != nil {
		t.Fatal(err)
	}
	mariadbtest.Pack(t, filepath.Join(dir, "mariadb"))
	const rows = 10
	good := cpimporttest.Plan{
		BulkRollback: "/mnt/cached/data1/bulkRollback", DSN: "root@unix(/trial/mariadb/socket)/", Stdout: cpimporttest.Success(rows),
	}
	cpimporttest.Build(t, filepath.Join(dir, "good"), good)
	cpimporttest.Build(t, filepath.Join(dir, "stuck"), cpimporttest.Plan{BulkRollback: good.BulkRollback, Hang: true, Status: 1})
}

// nfsIntro begins the report.
const nfsIntro = `The daemon as it is shipped, on mounts of an export of the kernel's NFS server, in a virtual machine that emulates its
processors, so that times are upper bounds. /mnt/nfs is mounted with vers=4.2,hard and /mnt/v3 with vers=3,hard. A run is every
4 s, a read every 400 ms. Import trials are those of a stand-in for cpimport, which makes and syncs its entry in bulkRollback
as cpimport does, into a MariaDB on the machine's own disk; the DBroot is on /mnt/cached, which is mounted with
vers=4.2,hard,actimeo=3600, so that the client answers for an hour what it knows.
`

// describeNFS makes a table of the script's lines that begin with seen.
func describeNFS(out string) string {
	var b strings.Builder
	b.WriteString("| What | Seen |\n|---|---|\n")
	for line := range strings.Lines(out) {
		if row, ok := strings.CutPrefix(strings.TrimSpace(line), "seen: "); ok {
			fmt.Fprintf(&b, "| %s |\n", row)
		}
	}
	return b.String()
}
