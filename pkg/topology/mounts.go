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
		return nil, fmt.Errorf("read the mount table: %w", err)
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
	// The kernel escapes the characters that would break the format.
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\043`, "#", `\134`, `\`).Replace
	var mounts Mounts
	for line := range strings.Lines(text) {
		if row, ok := parseMountRow(strings.TrimSuffix(line, "\n"), unescape); ok {
			mounts = append(mounts, row)
		}
	}
	return mounts
}

// parseMountRow reads one line:
//
//	36 35 98:0 /root /mnt/point rw,noatime master:1 … - ext4 /dev/sda1 rw,errors=continue
func parseMountRow(line string, unescape func(string) string) (MountRow, bool) {
	head, tail, separated := strings.Cut(line, " - ")
	place, fs := strings.Split(head, " "), strings.Split(tail, " ")
	if !separated || len(place) < 6 || len(fs) < 2 {
		return MountRow{}, false
	}
	id, errID := strconv.ParseUint(place[0], 10, 64)
	parent, errParent := strconv.ParseUint(place[1], 10, 64)
	mountpoint := unescape(place[4])
	if errID != nil || errParent != nil || !filepath.IsAbs(mountpoint) {
		return MountRow{}, false
	}
	return MountRow{
		Mount:      Mount{ID: id, Device: place[2]},
		Parent:     parent,
		Mountpoint: mountpoint,
		FSType:     unescape(fs[0]),
		Source:     unescape(fs[1]),
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
		next := m.next(path, row, ok, known)
		if next < 0 {
			break
		}
		row, ok = m[next], true
	}
	return row, ok
}

// next returns the index of the mount that the path meets first below the mount at (none at all when started is false);
// -1 when there is no other. Of two at one place the later one counts.
func (m Mounts) next(path string, at MountRow, started bool, known map[uint64]bool) int {
	next := -1
	for i, r := range m {
		follows := started && r.Parent == at.ID && r.ID != at.ID
		if top := !known[r.Parent] || r.Parent == r.ID; top {
			follows = follows || !started || len(r.Mountpoint) > len(at.Mountpoint)
		}
		if follows && within(path, r.Mountpoint) && (next < 0 || len(r.Mountpoint) <= len(m[next].Mountpoint)) {
			next = i
		}
	}
	return next
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
