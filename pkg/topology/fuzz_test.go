//go:build linux

package topology_test

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

func FuzzDiscover(f *testing.F) {
	f.Add(cluster)
	f.Add(single("<DBRoot1>/a</DBRoot1><DBRoot1>/b</DBRoot1><DBRoot100>/c</DBRoot100>", "<ModuleDBRootID1-1-3>1</ModuleDBRootID1-1-3>"))
	f.Add("<!DOCTYPE C [<!ENTITY a \"/x\">]><C><SystemConfig><DBRoot1>&a;</DBRoot1></SystemConfig></C>")
	src := files(f, "", "pm1")
	f.Fuzz(func(t *testing.T, xml string) {
		write(t, src.ColumnstoreXML, xml)
		checkTopology(t, topology.Discover(src, nil))
	})
}

func FuzzModule(f *testing.F) {
	for _, line := range []string{"pm1\n", "pm02", "um1", "", "pm99999999999999999999", "\xff\x00"} {
		f.Add(line)
	}
	src := files(f, cluster, "")
	f.Fuzz(func(t *testing.T, module string) {
		write(t, src.ModuleFile, module)
		got := topology.Discover(src, nil)
		checkTopology(t, got)
		if got.Error != "" || len(got.Targets) == 0 {
			t.Errorf("module %q: error %q, %d targets", module, got.Error, len(got.Targets))
		}
	})
}

// checkTopology asserts what holds of every discovery.
func checkTopology(t *testing.T, got topology.Topology) {
	t.Helper()
	seen := map[topology.Target]bool{}
	for _, p := range got.Targets {
		if seen[p.Target] || !filepath.IsAbs(p.Directory) || p.Directory != filepath.Clean(p.Directory) || !utf8.ValidString(p.Directory) || p.Reason == "" {
			t.Errorf("bad or double target %+v", p)
		}
		seen[p.Target] = true
	}
	for _, i := range got.Ignored {
		if i.Element == "" || i.Reason == "" {
			t.Errorf("ignored for no reason: %+v", i)
		}
	}
}

func FuzzMountinfo(f *testing.F) {
	f.Add(table, "/srv/cs/data1")
	f.Add("1 1 0:2 / / rw - rootfs none rw\n", "/")
	f.Fuzz(func(t *testing.T, text, path string) {
		mounts := topology.ParseMounts(text)
		for _, row := range mounts {
			if !filepath.IsAbs(row.Mountpoint) {
				t.Errorf("mountpoint %q", row.Mountpoint)
			}
		}
		row, ok := mounts.Lexical(path)
		if ok && !strings.HasPrefix(filepath.Clean(path), strings.TrimSuffix(row.Mountpoint, "/")) {
			t.Errorf("%q on %q", path, row.Mountpoint)
		}
		// A mount that covers everything is found whatever else is in the table.
		if filepath.IsAbs(path) {
			root := "999999999 999999999 254:0 / / rw - ext4 /dev/vda rw\n"
			if _, ok := topology.ParseMounts(root + text).Lexical(path); !ok {
				t.Errorf("%q on no mount", path)
			}
		}
	})
}
