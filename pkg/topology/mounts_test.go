//go:build linux

package topology_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

const table = `26 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
31 26 0:27 / /srv rw shared:2 master:1 - tmpfs none rw
40 26 8:1 / /srv/old rw - xfs /dev/sda1 rw
41 31 8:17 /sub /srv/cs rw,noatime - xfs /dev/sdb1 rw,inode64
42 41 0:50 / /srv/cs/data1 rw - nfs4 nas:/export/a\040b rw,vers=4.2
43 42 0:51 / /srv/cs/data1 rw - nfs4 nas2:/export rw,vers=4.2
44 26 0:52 / /mnt/a\040b\011c\012d\134e\043f rw - tmpfs - rw
45 26 0:53 / /mnt/empty rw - tmpfs  rw
`

func TestParseMounts(t *testing.T) {
	want := topology.Mounts{
		{Mount: topology.Mount{ID: 42, Device: "0:50"}, Parent: 41, Mountpoint: "/srv/cs/data1", FSType: "nfs4", Source: "nas:/export/a b"},
		{Mount: topology.Mount{ID: 44, Device: "0:52"}, Parent: 26, Mountpoint: "/mnt/a b\tc\nd\\e#f", FSType: "tmpfs", Source: "-"},
		{Mount: topology.Mount{ID: 45, Device: "0:53"}, Parent: 26, Mountpoint: "/mnt/empty", FSType: "tmpfs"},
	}
	var got topology.Mounts
	for _, row := range topology.ParseMounts(table) {
		if row.ID == 42 || row.ID > 43 {
			got = append(got, row)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A line that is damaged costs itself alone.
func TestParseMountsDamaged(t *testing.T) {
	lines := strings.SplitAfter(strings.TrimSuffix(table, "\n"), "\n")
	damage := map[string]string{
		"no separator":        "44 26 0:52 / /mnt rw tmpfs none rw\n",
		"no number":           "x 26 0:52 / /mnt rw - tmpfs none rw\n",
		"relative mountpoint": "44 26 0:52 / mnt rw - tmpfs none rw\n",
		"cut off":             "44 26 0:52 / /m",
		"no line":             "\n",
	}
	for name, line := range damage {
		t.Run(name, func(t *testing.T) {
			text := lines[0] + strings.TrimSuffix(line, "\n") + "\n" + strings.Join(lines[1:], "")
			if diff := cmp.Diff(topology.ParseMounts(table), topology.ParseMounts(text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLexical(t *testing.T) {
	chroot := strings.Join(strings.SplitAfter(table, "\n")[3:], "")
	circle := "5 6 0:1 / / rw - tmpfs a rw\n6 5 0:2 / / rw - tmpfs b rw\n"
	rootfs := "1 1 0:2 / / rw - rootfs none rw\n26 1 254:0 / / rw - ext4 /dev/vda rw\n"
	tests := []struct {
		name, table, path string
		want              uint64
	}{
		{"root", table, "/", 26},
		{"below root", table, "/var/lib", 26},
		{"mountpoint", table, "/srv/cs", 41},
		{"below it", table, "/srv/cs/data2/bulkRollback", 41},
		{"neighbour with the same beginning", table, "/srv/cs2", 31},
		{"two at one place", table, "/srv/cs/data1", 43},
		{"hidden under a later mount on its parent", table, "/srv/old/x", 31},
		{"unclean", table, "/var/../srv//cs/", 41},
		{"escaped", table, "/mnt/a b\tc\nd\\e#f/x", 44},
		{"relative", table, "srv/cs", 0},
		{"nothing mounted there", chroot, "/var", 0},
		{"in a chroot", chroot, "/srv/cs/x", 41},
		{"root on the initial file system", rootfs, "/var", 26},
		{"circle", circle, "/var", 0},
		{"empty table", "", "/", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			row, ok := topology.ParseMounts(tt.table).Lexical(tt.path)
			if row.ID != tt.want || ok != (tt.want != 0) {
				t.Errorf("mount %d (%t), want %d", row.ID, ok, tt.want)
			}
		})
	}
}
