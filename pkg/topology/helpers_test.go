//go:build linux

package topology_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// cluster is a configuration of two modules with a hole in the numbering of its DBroots.
const cluster = `<?xml version="1.0" ?>
<Columnstore Version="V1.0.0">
    <ConfigRevision>7</ConfigRevision>
    <SystemConfig>
        <DBRootCount>3</DBRootCount>
        <DBRoot1>/srv/cs/data1</DBRoot1>
        <DBRoot2>/srv/cs/data2</DBRoot2>
        <DBRoot4>
            /srv/cs/data4 <!-- on the fast volume -->
        </DBRoot4>
        <WaitPeriod>10</WaitPeriod>
    </SystemConfig>
    <SystemModuleConfig>
        <ModuleDBRootCount1-2>unassigned</ModuleDBRootCount1-2>
        <ModuleDBRootID1-1-2>unassigned</ModuleDBRootID1-1-2>
        <ModuleDBRootCount1-3>3</ModuleDBRootCount1-3>
        <ModuleDBRootID1-1-3>4</ModuleDBRootID1-1-3>
        <ModuleDBRootID1-2-3> 1 </ModuleDBRootID1-2-3>
        <ModuleDBRootID1-3-3>unassigned</ModuleDBRootID1-3-3>
        <ModuleDBRootCount2-3>1</ModuleDBRootCount2-3>
        <ModuleDBRootID2-1-3>2</ModuleDBRootID2-1-3>
    </SystemModuleConfig>
    <WriteEngine>
        <BulkRollbackDir>/srv/cs/data1/systemFiles/bulkRollback</BulkRollbackDir>
    </WriteEngine>
    <Installation><DBRootStorageType>internal</DBRootStorageType></Installation>
    <StorageManager><Enabled>N</Enabled></StorageManager>
</Columnstore>
`

// single returns a configuration of one module with these elements of SystemConfig and SystemModuleConfig.
func single(system, module string) string {
	return "<Columnstore>\n<SystemConfig>" + system + "</SystemConfig>\n<SystemModuleConfig>" + module + "</SystemModuleConfig>\n</Columnstore>\n"
}

// files writes the two files of a configuration. An empty module means no module file.
func files(tb testing.TB, xml, module string) topology.Sources {
	tb.Helper()
	dir := tb.TempDir()
	src := topology.Sources{ColumnstoreXML: filepath.Join(dir, "Columnstore.xml"), ModuleFile: filepath.Join(dir, "module")}
	write(tb, src.ColumnstoreXML, xml)
	if module != "" {
		write(tb, src.ModuleFile, module)
	}
	return src
}

func write(tb testing.TB, path, content string) {
	tb.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		tb.Fatal(err)
	}
}

// dbroots lists the DBroots of a topology as number=directory.
func dbroots(t topology.Topology) []string {
	found := []string{}
	for _, p := range t.Targets {
		if p.Kind == topology.KindDBRoot {
			found = append(found, p.DBRoot+"="+p.Directory)
		}
	}
	return found
}

// wantText fails unless text holds every part.
func wantText(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s is %q, which does not say %q", what, text, part)
		}
	}
}
