//go:build linux

// Package scratch makes, finds and removes the exporter's own files in a directory that belongs to ColumnStore.
//
// A directory is opened once, and everything after that goes through its descriptor: names hold no slash and symlinks
// in their place are never followed, so nothing outside of the directory can be touched. Directories are never made:
// an absent bulkRollback is a normal state, and one made by root would make the imports of others fail.
package scratch

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// ErrMount is wrapped by the error of Open for a directory that is no longer on the mount it was found on.
var ErrMount = errors.New("the directory is on another mount")

// Announce is told the name of each operation on storage just before it begins.
type Announce func(operation string)

// Dir is an open directory in which the exporter keeps files. Its methods may be used from several threads at once.
type Dir struct {
	path     string
	host     string
	fd       int
	uid, gid int
	announce Announce
}

// Open opens the directory path, in which symlinks are followed, for the files of host. It is checked to be on the
// mount want, unless that is the zero value; ErrMount says that it is not. The error of an absent directory wraps
// [os.ErrNotExist]; that of a symlink which neither root, this process's user nor the directory's owner has made,
// [unix.EPERM]. The open directory keeps its file system from being unmounted, so close it soon.
func Open(announce Announce, path, host string, want topology.Mount) (*Dir, error) {
	if announce == nil {
		announce = func(string) {}
	}
	announce("open")
	fd, err := opened(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, fmt.Errorf("open directory %s: %w", path, err)
	}
	d := &Dir{path: path, host: cleanHost(host), fd: fd, announce: announce}
	if err := d.look(want); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// look checks the mount, learns the owner, and checks the way that led here.
func (d *Dir) look(want topology.Mount) error {
	if err := d.checkMount(want); err != nil {
		return err
	}
	d.announce("stat")
	var st unix.Stat_t
	if err := again(func() error { return unix.Fstat(d.fd, &st) }); err != nil {
		return fmt.Errorf("stat directory %s: %w", d.path, err)
	}
	d.uid, d.gid = int(st.Uid), int(st.Gid)
	return d.checkSymlinks()
}

// Close closes the directory.
func (d *Dir) Close() error {
	d.announce("close")
	if err := closed(d.fd); err != nil {
		return fmt.Errorf("close directory %s: %w", d.path, err)
	}
	return nil
}

// Announce announces an operation on one of the directory's files that is done on its descriptor.
func (d *Dir) Announce(operation string) { d.announce(operation) }

// Fd returns the descriptor for calls that have to be timed without anything around them.
func (d *Dir) Fd() int { return d.fd }

// Path returns the path of the file name in the directory, for messages.
func (d *Dir) Path(name string) string { return d.path + "/" + name }

// Owner returns the user and the group that own the directory.
func (d *Dir) Owner() (uid, gid int) { return d.uid, d.gid }

// Space returns the size of the file system without what is reserved for root, and what of it is available, in bytes:
// the two figures of df. File systems that do not know return zeros.
func (d *Dir) Space() (total, available int64, err error) {
	d.announce("statfs")
	var st unix.Statfs_t
	if err := again(func() error { return unix.Fstatfs(d.fd, &st) }); err != nil {
		return 0, 0, fmt.Errorf("statfs of directory %s: %w", d.path, err)
	}
	available = int64(st.Bavail) * st.Frsize
	return int64(st.Blocks-st.Bfree)*st.Frsize + available, available, nil
}

// checkMount asks the kernel's tables, not the file system, on which mount the directory is. The mount id stands in
// fdinfo on every kernel, in statx only since 5.8; the device has to be compared too, since ids are used again.
func (d *Dir) checkMount(want topology.Mount) error {
	if want == (topology.Mount{}) {
		return nil
	}
	id, err := mountID(d.fd)
	if err != nil {
		return fmt.Errorf("find the mount of directory %s: %w", d.path, err)
	}
	device, err := mountDevice(id)
	if err != nil {
		return fmt.Errorf("find the device of directory %s: %w", d.path, err)
	}
	if id != want.ID || device != want.Device {
		return fmt.Errorf("open directory %s: %w: expected %d on device %s, got %d on device %s",
			d.path, ErrMount, want.ID, want.Device, id, device)
	}
	return nil
}

func mountID(fd int) (uint64, error) {
	text, err := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(fd))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, "mnt_id:"); found {
			id, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64)
			if err != nil {
				return 0, fmt.Errorf("understand fdinfo: %w", err)
			}
			return id, nil
		}
	}
	return 0, errors.New("no mnt_id in fdinfo")
}

// mountDevice returns major:minor of a mount of this process, empty for one that is not (or no longer) there.
func mountDevice(id uint64) (string, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[0] == strconv.FormatUint(id, 10) {
			return fields[2], nil
		}
	}
	return "", nil
}
