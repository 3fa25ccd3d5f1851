//go:build linux

package topology_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

func TestDiscoverOwnDBRoots(t *testing.T) {
	src := files(t, cluster, "pm1\n")
	src.Extra = []topology.NamedPath{{Name: "nvme", Path: "/mnt/nvme/"}}
	target := func(number string, kind topology.Kind, directory, why string) topology.Planned {
		return topology.Planned{Target: topology.Target{DBRoot: number, Kind: kind, Directory: directory}, Reason: why}
	}
	in := " in " + src.ColumnstoreXML
	extra := target("", topology.KindExtra, "/mnt/nvme", `COLUMNSTORE_EXPORTER_EXTRA_DIRECTORIES names it; written "/mnt/nvme/"`)
	extra.Name = "nvme"
	want := topology.Topology{
		Module: "pm1",
		Targets: []topology.Planned{
			target("1", topology.KindDBRoot, "/srv/cs/data1", "SystemConfig/DBRoot1"+in+" line 6, SystemModuleConfig/ModuleDBRootID1-2-3 gives it to pm1"),
			target("1", topology.KindBulkRollback, "/srv/cs/data1/bulkRollback", "where cpimport keeps what a rollback of DBroot 1 needs"),
			target("4", topology.KindDBRoot, "/srv/cs/data4", "SystemConfig/DBRoot4"+in+" line 8, SystemModuleConfig/ModuleDBRootID1-1-3 gives it to pm1"),
			target("4", topology.KindBulkRollback, "/srv/cs/data4/bulkRollback", "where cpimport keeps what a rollback of DBroot 4 needs"),
			extra,
		},
		Ignored: []topology.Ignored{
			{Element: "SystemModuleConfig/ModuleDBRootID1-3-3", Value: "unassigned", Reason: "no DBroot is assigned"},
			{Element: "SystemConfig/DBRoot2", Value: "/srv/cs/data2", Reason: "pm2's by SystemModuleConfig/ModuleDBRootID2-1-3, and this node is pm1"},
			{
				Element: "WriteEngine/BulkRollbackDir", Value: "/srv/cs/data1/systemFiles/bulkRollback",
				Reason: "ColumnStore reads it and never uses it: the directory in use is bulkRollback in each DBroot",
			},
		},
	}
	got := topology.Discover(src, nil)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(got, throughJSON(t, got)); diff != "" {
		t.Errorf("JSON loses something: %s", diff)
	}
}

func throughJSON(t *testing.T, in topology.Topology) (out topology.Topology) {
	t.Helper()
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDiscoverByModule(t *testing.T) {
	all := []string{"1=/srv/cs/data1", "2=/srv/cs/data2", "4=/srv/cs/data4"}
	own := []string{"1=/srv/cs/data1", "4=/srv/cs/data4"}
	tests := []struct {
		name, file, module string
		want               []string
		note               string
	}{
		{"first of two", "pm1\n", "pm1", own, ""},
		{"second of two", "pm2", "pm2", []string{"2=/srv/cs/data2"}, ""},
		{"first line counts", "  pm1 \r\npm2\n", "pm1", own, ""},
		{"leading zero", "pm01\n", "pm1", own, ""},
		{"not in the XML", "pm3\n", "pm3", all, "has no SystemModuleConfig/ModuleDBRootCount3-3"},
		{"no file", "", "", all, "no such file"},
		{"user module", "um1\n", "", all, `"um1"`},
		{"number 0", "pm0\n", "", all, `"pm0"`},
		{"empty first line", "\npm1\n", "", all, "first line of"},
		{"garbage", "\x00\xff\x1b[31m", "", all, "first line of"},
		{"no text", strings.Repeat("pm1 ", 1<<16), "", all, "larger than 64 KiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := topology.Discover(files(t, cluster, tt.file), nil)
			if got.Module != tt.module || got.Error != "" {
				t.Errorf("module %q, error %q; want %q and none", got.Module, got.Error, tt.module)
			}
			if diff := cmp.Diff(tt.want, dbroots(got)); diff != "" {
				t.Error(diff)
			}
			wantText(t, "the notes", strings.Join(got.Notes, "\n"), tt.note)
			if tt.note == "" && len(got.Notes) > 0 {
				t.Errorf("notes %q", got.Notes)
			}
		})
	}
}

func TestDiscoverOverride(t *testing.T) {
	src := topology.Sources{
		ColumnstoreXML: "/nonexistent/Columnstore.xml",
		ModuleFile:     "/nonexistent/module",
		DBRoots: []topology.NumberedPath{
			{Number: "12", Path: "/b/../c"},
			{Number: "3", Path: "/a"},
			{Number: "3", Path: "/again"},
			{Number: "100", Path: "/d"},
			{Number: "4", Path: "relative"},
			{Number: "5", Path: "/a/"},
		},
	}
	asked := 0
	got := topology.Discover(src, func(string, int64) { asked++ })
	if asked > 0 || got.Error != "" {
		t.Errorf("%d operations on files that are overridden, error %q", asked, got.Error)
	}
	if diff := cmp.Diff([]string{"3=/a", "12=/c"}, dbroots(got)); diff != "" {
		t.Error(diff)
	}
	wantText(t, "the reason", got.Targets[2].Reason, "COLUMNSTORE_EXPORTER_DBROOTS", `written "/b/../c"`)
	wantIgnored(t, got, "3=/again", "given twice")
	wantIgnored(t, got, "100=/d", "1 to 99")
	wantIgnored(t, got, "relative", "absolute path")
	wantIgnored(t, got, "/a/", "the same directory as")
}

// wantIgnored fails unless the value is ignored as a mistake, and the reason says all the parts.
func wantIgnored(t *testing.T, got topology.Topology, value string, parts ...string) {
	t.Helper()
	for _, i := range got.Ignored {
		if i.Value == value && i.Mistake {
			wantText(t, "the reason", i.Element+" "+i.Reason, parts...)
			return
		}
	}
	t.Errorf("no mistake with the value %q is in %+v", value, got.Ignored)
}

func TestDiscoverStorageManager(t *testing.T) {
	document := func(storage, enabled, plugin string) string {
		return "<C><SystemConfig><DBRoot1>/a</DBRoot1><DataFilePlugin>" + plugin + "</DataFilePlugin></SystemConfig>" +
			"<Installation><DBRootStorageType>" + storage + "</DBRootStorageType></Installation>" +
			"<StorageManager><Enabled>" + enabled + "</Enabled></StorageManager></C>"
	}
	tests := []struct {
		name, storage, enabled, plugin string
		sign                           string
	}{
		{"internal", "internal", "N", "", ""},
		{"storage type", "StorageManager", "N", "", "Installation/DBRootStorageType=StorageManager"},
		{"enabled", "internal", "y", "", "StorageManager/Enabled=y"},
		{"plugin", "internal", "N", "libcloudio.so", "SystemConfig/DataFilePlugin=libcloudio.so"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := topology.Discover(files(t, document(tt.storage, tt.enabled, tt.plugin), "pm1"), nil)
			if got.StorageManager != (tt.sign != "") {
				t.Errorf("StorageManager %t with sign %q", got.StorageManager, tt.sign)
			}
			wantText(t, "the notes", strings.Join(got.Notes, "\n"), tt.sign)
			if diff := cmp.Diff([]string{"1=/a"}, dbroots(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDiscoverReportsOperations(t *testing.T) {
	var names []string
	last := int64(0)
	topology.Discover(files(t, cluster, "pm1"), func(name string, at int64) {
		if at < last {
			t.Errorf("operation %q at %d, before the one at %d", name, at, last)
		}
		last = at
		names = append(names, name)
	})
	if diff := cmp.Diff([]string{"open", "stat", "read", "", "open", "stat", "read", ""}, names); diff != "" {
		t.Error(diff)
	}
}
