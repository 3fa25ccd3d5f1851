//go:build linux

package topology_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

func TestDiscovererReadsWhatChanged(t *testing.T) {
	src := files(t, cluster, "pm1")
	d := topology.NewDiscoverer(src)
	discover := func() (found []string, read bool) {
		var operations []string
		got := d.Discover(func(name string, _ int64) { operations = append(operations, name) })
		return dbroots(got), slices.Contains(operations, "read")
	}
	steps := []struct {
		name   string
		change func()
		want   []string
		read   bool
	}{
		{"first look", func() {}, []string{"1=/srv/cs/data1", "4=/srv/cs/data4"}, true},
		{"nothing changed", func() {}, []string{"1=/srv/cs/data1", "4=/srv/cs/data4"}, false},
		{"module changed", func() { write(t, src.ModuleFile, "pm2\n") }, []string{"2=/srv/cs/data2"}, true},
		{"XML replaced, as cmapi does", func() { replace(t, src.ColumnstoreXML, "/srv/cs/data2", "/srv/cs/moved") }, []string{"2=/srv/cs/moved"}, true},
		{"nothing changed again", func() {}, []string{"2=/srv/cs/moved"}, false},
		{"XML gone", func() { remove(t, src.ColumnstoreXML) }, []string{}, false},
		{"XML still gone", func() {}, []string{}, false},
		{"XML back", func() { write(t, src.ColumnstoreXML, cluster) }, []string{"2=/srv/cs/data2"}, true},
		{"module gone", func() { remove(t, src.ModuleFile) }, []string{"1=/srv/cs/data1", "2=/srv/cs/data2", "4=/srv/cs/data4"}, true},
	}
	for _, step := range steps {
		step.change()
		found, read := discover()
		if diff := cmp.Diff(step.want, found); diff != "" {
			t.Errorf("%s: %s", step.name, diff)
		}
		if read != step.read {
			t.Errorf("%s: read %t, want %t", step.name, read, step.read)
		}
	}
}

// replace writes a changed copy beside the file and renames it into place, with the modification time of the old one.
func replace(t *testing.T, path, from, to string) {
	t.Helper()
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path+".tmp", strings.Replace(string(content), from, to, 1))
	if err := os.Chtimes(path+".tmp", before.ModTime(), before.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
