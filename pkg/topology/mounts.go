//go:build linux

package topology

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Mounts is the mount table of a mount namespace, in the order of /proc/self/mountinfo.
type Mounts []MountRow

// MountRow is one mounted file system.
type MountRow struct {
	Mount
	// Parent is the ID of the mount that this one is mounted on.
	Parent uint64
	// Mountpoint is an absolute path as seen from the process's root.
	Mountpoint string
	FSType     string
	Source     string
}

// ReadMounts reads the mount table of this process. It touches no storage.
func ReadMounts() (Mounts, error) {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	mounts := ParseMounts(string(data))
	if len(mounts) == 0 {
		return nil, fmt.Errorf("read /proc/self/mountinfo: no mount in its %d bytes", len(data))
	}
	return mounts, nil
}

// ParseMounts reads the format of proc_pid_mountinfo(5) and leaves out the lines that it does not understand. That is
// why it is not procfs's reader: a mount whose source is "-" costs that one the whole table.
func ParseMounts(text string) Mounts {
	var mounts Mounts
	for line := range strings.Lines(text) {
		if row, ok := parseMountRow(strings.TrimSuffix(line, "\n")); ok {
			mounts = append(mounts, row)
		}
	}
	return mounts
}

// mountEscapes undoes what the kernel does to the characters that would break the format.
var mountEscapes = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\043`, "#", `\134`, `\`)

// parseMountRow reads one line:
//
//	36 35 98:0 /root /mnt/point rw,noatime master:1 … - ext4 /dev/sda1 rw,errors=continue
func parseMountRow(line string) (MountRow, bool) {
	head, tail, separated := strings.Cut(line, " - ")
	place, fs := strings.Split(head, " "), strings.Split(tail, " ")
	if !separated || len(place) < 6 || len(fs) < 2 {
		return MountRow{}, false
	}
	id, errID := strconv.ParseUint(place[0], 10, 64)
	parent, errParent := strconv.ParseUint(place[1], 10, 64)
	mountpoint := mountEscapes.Replace(place[4])
	if errID != nil || errParent != nil || !filepath.IsAbs(mountpoint) {
		return MountRow{}, false
	}
	return MountRow{
		Mount:      Mount{ID: id, Device: place[2]},
		Parent:     parent,
		Mountpoint: mountpoint,
		FSType:     mountEscapes.Replace(fs[0]),
		Source:     mountEscapes.Replace(fs[1]),
	}, true
}

// Lexical returns the mount that the path lies on by its text alone: symlinks are not followed, and nothing is touched.
// ok is false when no mount covers it, as in a chroot that is not a mountpoint.
//
// It walks down as the kernel does, from each mount to the one on top of it, because the longest mountpoint can be hidden
// under a later mount on one of its parents.
func (m Mounts) Lexical(path string) (row MountRow, ok bool) {
	path = filepath.Clean(path)
	if !filepath.IsAbs(path) {
		return MountRow{}, false
	}
	known := make(map[uint64]bool, len(m))
	for _, r := range m {
		known[r.ID] = true
	}
	// One step a mount at most, so that a table with a circle in it ends too.
	for range m {
		next := -1
		for i, r := range m {
			top := !known[r.Parent] || r.Parent == r.ID
			on := ok && r.Parent == row.ID && r.ID != row.ID
			under := top && (!ok || len(r.Mountpoint) > len(row.Mountpoint))
			if (on || under) && within(path, r.Mountpoint) && (next < 0 || len(r.Mountpoint) <= len(m[next].Mountpoint)) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		row, ok = m[next], true
	}
	return row, ok
}

// byID returns the mount of that ID.
func (m Mounts) byID(id uint64) (MountRow, bool) {
	for _, r := range m {
		if r.ID == id {
			return r, true
		}
	}
	return MountRow{}, false
}

// within tells whether the clean absolute path is directory or below it.
func within(path, directory string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(directory, "/"))
	return ok && (rest == "" || rest[0] == '/')
}
