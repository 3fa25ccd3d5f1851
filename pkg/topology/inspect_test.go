//go:build linux

package topology_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

func inspect(kind topology.Kind, path string) topology.Facts {
	return topology.Inspect(topology.Target{DBRoot: "1", Kind: kind, Directory: path}, nil)
}

// wantMount checks what is known of the mount against the mount table and against what the test mounted.
func wantMount(t *testing.T, f topology.Facts, fstype, source, mountpoint, device string) {
	t.Helper()
	got := [...]string{f.FSType, f.Source, f.Mountpoint, f.Device}
	if diff := cmp.Diff([...]string{fstype, source, mountpoint, device}, got); diff != "" {
		t.Errorf("fstype, source, mountpoint, device: %s%s", diff, f.Error)
	}
	mounts, err := topology.ReadMounts()
	if err != nil {
		t.Fatal(err)
	}
	row, _ := mounts.Lexical(f.Resolved)
	if row.Mount != f.Mount || f.Mount.ID == 0 {
		t.Errorf("mount %+v, and %+v by the text of %s", f.Mount, row.Mount, f.Resolved)
	}
}

func TestInspectLoopMounts(t *testing.T) {
	for _, fstype := range []string{"ext4", "xfs"} {
		t.Run(fstype, func(t *testing.T) {
			root := directory(t, t.TempDir(), "data1")
			loopMount(t, fstype, root)
			got := inspect(topology.KindDBRoot, root)
			if got.State != topology.StatePresent || got.Error != "" || got.Resolved != root || got.Network != "" {
				t.Errorf("%+v", got)
			}
			wantMount(t, got, fstype, got.Source, root, filepath.Base(got.Source))
			if filepath.Dir(got.Source) != "/dev" {
				t.Errorf("source %q is no device", got.Source)
			}
			below := inspect(topology.KindBulkRollback, directory(t, root, "bulkRollback"))
			if below.Mount != got.Mount {
				t.Errorf("bulkRollback is on %+v, its DBroot on %+v", below.Mount, got.Mount)
			}
		})
	}
}

// A file system with a made-up device number names its block device as its source, as btrfs does.
func TestInspectAnonymousDevice(t *testing.T) {
	dir := t.TempDir()
	disk := directory(t, dir, "disk")
	loopMount(t, "ext4", disk)
	source := inspect(topology.KindExtra, disk).Source
	for _, tt := range []struct{ source, device string }{
		{source, filepath.Base(source)},
		{"/dev/null", ""},
		{"/dev/nonexistent", ""},
		{"none", ""},
	} {
		t.Run(tt.source, func(t *testing.T) {
			target := directory(t, t.TempDir(), "data1")
			mount(t, tt.source, target, "tmpfs", 0)
			wantMount(t, inspect(topology.KindDBRoot, target), "tmpfs", tt.source, target, tt.device)
		})
	}
}

func TestInspectBindAndOvermount(t *testing.T) {
	dir := t.TempDir()
	fast, root := directory(t, dir, "fast"), directory(t, dir, "data1")
	mount(t, "fast", fast, "tmpfs", 0)
	mount(t, "slow", root, "tmpfs", 0)
	bulk := directory(t, root, "bulkRollback")
	mount(t, directory(t, fast, "bulk"), bulk, "", unix.MS_BIND)
	wantMount(t, inspect(topology.KindBulkRollback, bulk), "tmpfs", "fast", bulk, "")
	wantMount(t, inspect(topology.KindDBRoot, root), "tmpfs", "slow", root, "")

	before := inspect(topology.KindDBRoot, root)
	mount(t, "over", root, "tmpfs", 0) // hides bulkRollback's mount with the DBroot
	over := inspect(topology.KindDBRoot, root)
	wantMount(t, over, "tmpfs", "over", root, "")
	if d := topology.Decide(before, over); d != topology.Adopt {
		t.Errorf("mounted over: %s", d)
	}
	hidden := inspect(topology.KindBulkRollback, bulk)
	if hidden.State != topology.StateAbsent {
		t.Errorf("bulkRollback below the new mount: %+v", hidden)
	}
	wantMount(t, hidden, "tmpfs", "over", root, "")
}

// When the mount goes, the path falls through to another file system, which is not the DBroot.
func TestInspectMountGone(t *testing.T) {
	root := directory(t, t.TempDir(), "data1")
	mount(t, "data", root, "tmpfs", 0)
	bulk := directory(t, root, "bulkRollback")
	targets := map[topology.Kind]string{topology.KindDBRoot: root, topology.KindBulkRollback: bulk}
	found := map[topology.Kind]topology.Facts{}
	for kind, path := range targets {
		found[kind] = inspect(kind, path)
	}
	unmount(t, root)
	for kind, path := range targets {
		if d := topology.Decide(found[kind], inspect(kind, path)); d != topology.Lost {
			t.Errorf("%s without its mount: %s", kind, d)
		}
	}
	mount(t, "data", root, "tmpfs", 0)
	// The kernel may give the new mount the old one's numbers, and then it is kept.
	if d := topology.Decide(found[topology.KindDBRoot], inspect(topology.KindDBRoot, root)); d == topology.Lost {
		t.Error("lost although it is mounted again")
	}
}

func TestInspectSymlink(t *testing.T) {
	dir := t.TempDir()
	fast, root := directory(t, dir, "fast"), directory(t, dir, "data1")
	mount(t, "fast", fast, "tmpfs", 0)
	bulk := directory(t, fast, "bulk")
	symlink(t, bulk, filepath.Join(root, "second"))
	symlink(t, "second", filepath.Join(root, "bulkRollback"))
	got := inspect(topology.KindBulkRollback, filepath.Join(root, "bulkRollback"))
	if got.State != topology.StatePresent || got.Resolved != bulk {
		t.Errorf("%+v, want %s", got, bulk)
	}
	wantMount(t, got, "tmpfs", "fast", fast, "")
}

// The kernel escapes these characters in mountinfo, and a source "-" looks like its separator.
func TestInspectAwkwardNames(t *testing.T) {
	for _, name := range []string{"a b", "a\tb", "a\nb", `a\b`, `a\040b`, "a#b", "ä", "a - b"} {
		t.Run(name, func(t *testing.T) {
			target := directory(t, t.TempDir(), name)
			mount(t, "-", target, "tmpfs", 0)
			wantMount(t, inspect(topology.KindDBRoot, target), "tmpfs", "-", target, "")
		})
	}
}

func TestInspectNotThere(t *testing.T) {
	dir := t.TempDir()
	symlink(t, filepath.Join(dir, "unmounted"), filepath.Join(dir, "dangling"))
	symlink(t, "loop", filepath.Join(dir, "loop"))
	write(t, filepath.Join(dir, "file"), "")
	tests := []struct {
		name, path string
		kind       topology.Kind
		state      topology.State
		reason     string
		advice     string
	}{
		{"missing DBroot", dir + "/none", topology.KindDBRoot, topology.StateAbsent, "enoent", "correct DBRoot1 in Columnstore.xml or COLUMNSTORE_EXPORTER_DBROOTS"},
		{"missing argument", dir + "/none", topology.KindExtra, topology.StateAbsent, "enoent", "correct the argument"},
		{"missing bulkRollback", dir + "/none", topology.KindBulkRollback, topology.StateAbsent, "", ""},
		{"missing with its DBroot", dir + "/none/bulkRollback", topology.KindBulkRollback, topology.StateAbsent, "", ""},
		{"dangling symlink", dir + "/dangling", topology.KindBulkRollback, topology.StateAbsent, "enoent", "it is a symlink to " + dir + "/unmounted"},
		{"relative", "data1", topology.KindDBRoot, topology.StateUnknown, "einval", "absolute path"},
		{"empty", "", topology.KindDBRoot, topology.StateUnknown, "einval", "absolute path"},
		{"file", dir + "/file", topology.KindDBRoot, topology.StateUnknown, "enotdir", "is a file"},
		{"below a file", dir + "/file/bulkRollback", topology.KindBulkRollback, topology.StateUnknown, "enotdir", "is a file"},
		{"symlink to itself", dir + "/loop", topology.KindDBRoot, topology.StateUnknown, "eloop", "leads back to itself"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := inspect(tt.kind, tt.path)
			if got.State != tt.state || got.Reason != tt.reason || (got.Error == "") != (tt.reason == "") {
				t.Errorf("%+v, want %s for the reason %q", got, tt.state, tt.reason)
			}
			wantText(t, "the error", got.Error, tt.advice)
			if tt.reason != "" {
				wantText(t, "the error", got.Error, tt.path)
			}
		})
	}
}

func TestInspectMissingExtraNamesItsVariable(t *testing.T) {
	target := topology.Target{Kind: topology.KindExtra, Name: "nvme", Directory: t.TempDir() + "/none"}
	wantText(t, "the error", topology.Inspect(target, nil).Error, "correct COLUMNSTORE_EXPORTER_EXTRA_DIRECTORIES")
}

func TestLabel(t *testing.T) {
	for want, target := range map[string]topology.Target{
		"DBroot 2":                 {DBRoot: "2", Kind: topology.KindDBRoot, Directory: "/data2"},
		"bulkRollback of DBroot 2": {DBRoot: "2", Kind: topology.KindBulkRollback, Directory: "/data2/bulkRollback"},
		"extra:nvme":               {Kind: topology.KindExtra, Name: "nvme", Directory: "/srv/nvme"},
		"/srv/nvme":                {Kind: topology.KindExtra, Directory: "/srv/nvme"},
	} {
		if got := target.Label(); got != want {
			t.Errorf("label %q, want %q", got, want)
		}
	}
}

// Where an absent directory would be made is known, so that its mount can be watched.
func TestInspectAbsentIsOnItsParentsMount(t *testing.T) {
	root := directory(t, t.TempDir(), "data1")
	mount(t, "data", root, "tmpfs", 0)
	got := inspect(topology.KindBulkRollback, filepath.Join(root, "bulkRollback"))
	if got.State != topology.StateAbsent || got.Resolved != filepath.Join(root, "bulkRollback") {
		t.Errorf("%+v", got)
	}
	wantMount(t, got, "tmpfs", "data", root, "")
	if _, err := os.Lstat(filepath.Join(root, "bulkRollback")); err == nil {
		t.Error("the look made it")
	}
}

func TestInspectNotSearchable(t *testing.T) {
	dir := t.TempDir()
	directory(t, dir, "open", "closed", "data1")
	closed := filepath.Join(dir, "open", "closed")
	for path := closed; path != os.TempDir(); path = filepath.Dir(path) {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(closed, 0o600); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() {
		for _, path := range []string{closed, filepath.Join(closed, "data1")} {
			got := inspect(topology.KindDBRoot, path)
			if got.State != topology.StateUnknown || got.Reason != "eacces" {
				t.Errorf("%s: %+v", path, got)
			}
			wantText(t, "the error", got.Error, path, "search permission")
		}
		if got := inspect(topology.KindDBRoot, filepath.Dir(closed)); got.State != topology.StatePresent {
			t.Errorf("a searchable directory: %+v", got)
		}
	})
}
