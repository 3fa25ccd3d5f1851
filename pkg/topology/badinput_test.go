//go:build linux

package topology_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// An unreadable configuration costs the DBroots, says where and why, and leaves the extras.
func TestDiscoverUnreadableXML(t *testing.T) {
	bomb := `<!DOCTYPE C [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>` + "\n<C><SystemConfig><DBRoot1>/&b;</DBRoot1></SystemConfig></C>"
	external := `<!DOCTYPE C [<!ENTITY x SYSTEM "file:///etc/passwd">]><C><SystemConfig><DBRoot1>&x;</DBRoot1></SystemConfig></C>`
	tests := []struct{ name, xml, want string }{
		{"empty", "", "not XML"},
		{"text", "DBRoot1 = /srv/data1\n", "line 1: not XML"},
		{"binary", "\x7fELF\x00\x00\x00", "line 1"},
		{"truncated", "<Columnstore>\n<SystemConfig>\n<DBRoot1>/srv/da", "line 3, in <Columnstore/SystemConfig/DBRoot1>: unexpected EOF"},
		{"crossed elements", "<C>\n<SystemConfig><DBRoot1>/a</SystemConfig></C>", "line 2, in <C/SystemConfig/DBRoot1>"},
		{"two documents", "<C/>\n<D/>", "line 2: a second root element <D>"},
		{"text behind it", single("<DBRoot1>/a</DBRoot1>", "") + "/a", "text outside of the root element"},
		{"not UTF-8", "<C>\xff</C>", "line 1, in <C>: invalid UTF-8"},
		{"another encoding", `<?xml version="1.0" encoding="EBCDIC"?><C/>`, `encoding "EBCDIC" is not read: store the file as UTF-8`},
		{"entity bomb", bomb, "line 2, in <C/SystemConfig/DBRoot1>: invalid character entity &b;"},
		{"external entity", external, "invalid character entity &x;"},
		{"too deep", strings.Repeat("<a>", 1<<20), "elements nested more than 32 deep"},
		{"no DBroot", single("<DBRootCount>1</DBRootCount>", ""), "COLUMNSTORE_EXPORTER_DBROOTS"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := files(t, tt.xml, "pm1")
			wantUnreadable(t, src, src.ColumnstoreXML, tt.want)
		})
	}
}

func wantUnreadable(t *testing.T, src topology.Sources, parts ...string) {
	t.Helper()
	src.Extra = []topology.NamedPath{{Name: "nvme", Path: "/mnt/nvme"}}
	got := topology.Discover(src, nil)
	wantText(t, "the error", got.Error, parts...)
	if len(got.Targets) != 1 || got.Targets[0].Name != "nvme" {
		t.Errorf("targets %+v, want the extra alone", got.Targets)
	}
}

func TestDiscoverNoXML(t *testing.T) {
	wantUnreadable(t, topology.Sources{ColumnstoreXML: "/nonexistent/Columnstore.xml"},
		"/nonexistent/Columnstore.xml", "COLUMNSTORE_EXPORTER_COLUMNSTORE_XML", "COLUMNSTORE_EXPORTER_DBROOTS")
}

func TestDiscoverNotAFile(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, fifo, "/dev/zero"} {
		wantUnreadable(t, topology.Sources{ColumnstoreXML: path}, path, "not a regular file")
	}
}

func TestDiscoverNotReadable(t *testing.T) {
	src := files(t, cluster, "pm1")
	if err := os.Chmod(src.ColumnstoreXML, 0); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() { wantUnreadable(t, src, src.ColumnstoreXML, "permission denied") })
}

// A file above the limit is refused unread; one below it is read however much of it is filling.
func TestDiscoverHugeXML(t *testing.T) {
	filling := "<!--" + strings.Repeat("x", 1<<20) + "-->\n"
	src := files(t, filling+cluster, "pm1")
	if got := topology.Discover(src, nil); got.Error != "" || len(dbroots(got)) != 2 {
		t.Errorf("1 MiB: %d DBroots, error %q", len(dbroots(got)), got.Error)
	}
	f, err := os.Create(src.ColumnstoreXML)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 100 {
		if _, err := f.WriteString(filling); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.WriteString(cluster); err != nil {
		t.Fatal(err)
	}
	wantUnreadable(t, src, src.ColumnstoreXML, "larger than 16384 KiB")
}

// Whatever was cut off, discovery either says so or was not concerned.
func TestDiscoverTruncatedAnywhere(t *testing.T) {
	src := files(t, cluster, "pm1")
	want := topology.Discover(src, nil)
	whole := strings.TrimSpace(cluster)
	for length := range len(whole) {
		write(t, src.ColumnstoreXML, whole[:length])
		if got := topology.Discover(src, nil); got.Error == "" {
			t.Fatalf("the first %d bytes of %d pass for a whole file", length, len(whole))
		}
	}
	write(t, src.ColumnstoreXML, whole)
	if diff := cmp.Diff(want, topology.Discover(src, nil)); diff != "" {
		t.Error(diff)
	}
}

// One bad element is ignored by name, with its file, and the others go on.
func TestDiscoverBadElement(t *testing.T) {
	root := func(number int, path string) string { return fmt.Sprintf("<DBRoot%d>%s</DBRoot%[1]d>", number, path) }
	gives := func(position int, number string) string {
		return fmt.Sprintf("<ModuleDBRootID1-%d-3>%s</ModuleDBRootID1-%[1]d-3>", position, number)
	}
	good, goodIsOurs := root(1, "/good"), gives(1, "1")
	tests := []struct {
		name, system, module string
		value                string
		want                 []string
	}{
		{"relative", root(2, "srv/data"), gives(2, "2"), "srv/data", []string{"SystemConfig/DBRoot2", "relative", "Columnstore.xml line 2"}},
		{"empty", root(2, " "), gives(2, "2"), "", []string{"SystemConfig/DBRoot2", "empty"}},
		{"variable of old", root(2, "$INSTALLDIR/data2"), gives(2, "2"), "$INSTALLDIR/data2", []string{"relative"}},
		{"same directory", root(2, "/x/../good/"), gives(2, "2"), "/x/../good/", []string{"the same directory as SystemConfig/DBRoot1"}},
		{"defined twice", root(1, "/second"), "", "/second", []string{"SystemConfig/DBRoot1", "a second one", "Columnstore.xml line 2"}},
		{"number above 99", root(100, "/x"), gives(2, "100"), "/x", []string{"SystemConfig/DBRoot100", "1 to 99"}},
		{"number with a zero", "<DBRoot02>/x</DBRoot02>", "", "/x", []string{"SystemConfig/DBRoot02", "1 to 99"}},
		{"assigned, not defined", "", gives(2, "7"), "7", []string{"ModuleDBRootID1-2-3", "no SystemConfig/DBRoot7", "Columnstore.xml"}},
		{"assigned twice", "", gives(2, "1"), "1", []string{"ModuleDBRootID1-2-3", "ModuleDBRootID1-1-3 gives DBroot 1 already"}},
		{"not a number", "", gives(2, "two"), "two", []string{"ModuleDBRootID1-2-3", "1 to 99"}},
		{"nothing assigned", "", gives(2, ""), "", []string{"ModuleDBRootID1-2-3", "1 to 99"}},
		{
			"beyond the count", root(2, "/x"), gives(2, "2") + "<ModuleDBRootCount1-3>1</ModuleDBRootCount1-3>", "2",
			[]string{"ModuleDBRootID1-2-3", "beyond SystemModuleConfig/ModuleDBRootCount1-3"},
		},
		{"of Storage Manager", root(2, "/var/lib/columnstore/storagemanager/cache"), gives(2, "2"), "/var/lib/columnstore/storagemanager/cache", []string{"Storage Manager"}},
		{"of column files", root(2, "/good/000.dir/001.dir"), gives(2, "2"), "/good/000.dir/001.dir", []string{"column files"}},
		{"of a rollback", root(2, "/good/bulkRollback/3001_data"), gives(2, "2"), "/good/bulkRollback/3001_data", []string{"rollback data"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := topology.Discover(files(t, single(good+tt.system, goodIsOurs+tt.module), "pm1"), nil)
			if diff := cmp.Diff([]string{"1=/good"}, dbroots(got)); diff != "" || got.Error != "" {
				t.Errorf("error %q, DBroots %s", got.Error, diff)
			}
			wantIgnored(t, got, tt.value, tt.want...)
		})
	}
}

func TestDiscoverNotUTF8(t *testing.T) {
	got := topology.Discover(topology.Sources{DBRoots: []topology.NumberedPath{{Number: "1", Path: "/a\xff"}, {Number: "2", Path: "/b"}}}, nil)
	wantIgnored(t, got, "/a\xff", "UTF-8")
}

func TestDiscoverOddButLegal(t *testing.T) {
	tests := []struct {
		name, xml string
		want      []string
		note      string
	}{
		{"byte order mark", "\ufeff" + single("<DBRoot1>/a</DBRoot1>", ""), []string{"1=/a"}, ""},
		{"declared ASCII", `<?xml version="1.0" encoding="ASCII"?>` + single("<DBRoot1>/a</DBRoot1>", ""), []string{"1=/a"}, ""},
		{"predefined entity", single("<DBRoot1>/a&amp;b</DBRoot1>", ""), []string{"1=/a&b"}, ""},
		{"CDATA", single("<DBRoot99><![CDATA[/a b]]></DBRoot99>", ""), []string{"99=/a b"}, ""},
		{"unassigned", single("<DBRoot1>/a</DBRoot1><DBRoot2>unassigned</DBRoot2>", ""), []string{"1=/a"}, ""},
		{"module without DBroots", single("<DBRoot1>/a</DBRoot1>", "<ModuleDBRootCount1-3>0</ModuleDBRootCount1-3>"), []string{}, "pm1 owns no DBroot"},
		{"deeper element", single("<DBRoot1>/a<x>/b</x></DBRoot1>", ""), []string{"1=/a"}, ""},
		{"other section", "<C><Other><DBRoot2>/b</DBRoot2></Other><SystemConfig><DBRoot1>/a</DBRoot1></SystemConfig></C>", []string{"1=/a"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := topology.Discover(files(t, tt.xml, "pm1"), nil)
			if diff := cmp.Diff(tt.want, dbroots(got)); diff != "" || got.Error != "" {
				t.Errorf("error %q, DBroots %s", got.Error, diff)
			}
			wantText(t, "the notes", strings.Join(got.Notes, "\n"), tt.note)
			for _, i := range got.Ignored {
				if i.Mistake {
					t.Errorf("a mistake: %+v", i)
				}
			}
		})
	}
}

func TestDiscoverBadExtra(t *testing.T) {
	src := files(t, cluster, "pm1")
	src.Extra = []topology.NamedPath{
		{Name: "a", Path: "/mnt/a"},
		{Name: "relative", Path: "mnt"},
		{Name: "again", Path: "/mnt//a"},
		{Name: "dbroot", Path: "/srv/cs/data1"},
	}
	got := topology.Discover(src, nil)
	wantIgnored(t, got, "relative=mnt", "COLUMNSTORE_EXPORTER_EXTRA_DIRECTORIES", "relative")
	wantIgnored(t, got, "again=/mnt//a", "the same directory as a=/mnt/a")
	var names []string
	for _, p := range got.Targets {
		if p.Kind == topology.KindExtra {
			names = append(names, p.Name)
		}
	}
	if diff := cmp.Diff([]string{"a", "dbroot"}, names); diff != "" {
		t.Error(diff)
	}
}
