//go:build linux

package topology

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/reason"
)

// Inspect looks at a target's directory and at the mount under it. It may hang for as long as the storage does.
//
// An absent bulkRollback is a normal state. Every other directory that is absent, or cannot be opened, has Error and
// Reason set. The mount of an absent directory is its parent's, where it would be made.
func Inspect(t Target, watch Operations) Facts {
	defer watch.end()
	if !filepath.IsAbs(t.Directory) {
		return Facts{
			State:  StateUnknown,
			Error:  t.Directory + " is relative: write the absolute path of a directory",
			Reason: string(reason.EINVAL),
		}
	}
	facts, err := look(t.Directory, watch)
	switch {
	case err == nil:
		facts.State = StatePresent
		return facts
	case errors.Is(err, unix.ENOENT):
		return absent(t, err, watch)
	default:
		return Facts{State: StateUnknown, Error: err.Error() + advice(err), Reason: string(reason.Of(err))}
	}
}

// absent returns the facts of a directory that is not there.
func absent(t Target, err error, watch Operations) Facts {
	facts, errParent := look(filepath.Dir(t.Directory), watch)
	if errParent == nil {
		facts.Resolved = filepath.Join(facts.Resolved, filepath.Base(t.Directory))
	}
	facts.State = StateAbsent
	watch.begin("readlink")
	target, errLink := os.Readlink(t.Directory)
	if t.Kind == KindBulkRollback && errLink != nil {
		return facts
	}
	facts.Error = err.Error() + absence(t, target)
	facts.Reason = string(reason.Of(err))
	return facts
}

// absence says what to do about a directory that should be there. link is the target of a symlink in its place.
func absence(t Target, link string) string {
	switch {
	case link != "":
		return fmt.Sprintf(": it is a symlink to %s, which is not there: mount or create that directory", link)
	case t.Kind == KindDBRoot:
		return fmt.Sprintf(": mount or create it, or correct DBRoot%s in Columnstore.xml or %s", t.DBRoot, dbrootsVariable)
	case t.Name == "":
		return ": mount or create it, or correct the argument"
	default:
		return ": mount or create it, or correct " + extraVariable
	}
}

// advice says what to do about a directory that is there and cannot be opened.
func advice(err error) string {
	switch {
	case errors.Is(err, unix.ENOTDIR):
		return ": it or a directory above it is a file"
	case errors.Is(err, unix.EACCES):
		return fmt.Sprintf(": give user %d search permission (x) on it and on every directory above it", os.Geteuid())
	case errors.Is(err, unix.ELOOP):
		return ": a symlink in it leads back to itself"
	case errors.Is(err, unix.ESTALE), errors.Is(err, unix.ENOTCONN), errors.Is(err, unix.EIO):
		return ": the mount under it is dead: unmount it and mount it again"
	default:
		return ""
	}
}

// look opens the directory, every symlink followed, and reads its attributes alone.
func look(directory string, watch Operations) (Facts, error) {
	watch.begin("open")
	fd, err := open(directory)
	if err != nil {
		return Facts{}, err
	}
	defer unix.Close(fd) //nolint:errcheck // O_PATH: nothing to lose
	watch.begin("access")
	// O_PATH asks for no permission on the directory itself. AT_EACCESS counts ambient capabilities too.
	if err = unix.Faccessat(fd, ".", unix.X_OK, unix.AT_EACCESS); err != nil {
		return Facts{}, fmt.Errorf("search %s: %w", directory, err)
	}
	watch.begin("stat")
	// The storage is asked, not its cache: on NFS a look would find a dead server alive while attributes are kept, which
	// for a directory is half a minute.
	var s unix.Statx_t
	if err = unix.Statx(fd, "", unix.AT_EMPTY_PATH|unix.AT_STATX_FORCE_SYNC, unix.STATX_MNT_ID|unix.STATX_BASIC_STATS, &s); err != nil {
		return Facts{}, fmt.Errorf("stat %s: %w", directory, err)
	}
	// The kernel knows the path that it has followed; no component is asked for again.
	resolved, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil {
		return Facts{}, fmt.Errorf("resolve %s: %w", directory, err)
	}
	facts := Facts{Resolved: resolved}
	mounts, err := ReadMounts()
	if err != nil {
		return Facts{}, fmt.Errorf("find the mount of %s: %w", directory, err)
	}
	if row, ok := mounts.of(s, resolved); ok {
		facts.on(row, watch)
	}
	return facts, nil
}

func open(directory string) (int, error) {
	for {
		// O_DIRECTORY makes the kernel mount what autofs has in store there.
		fd, err := unix.Open(directory, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		switch {
		case err == nil:
			return fd, nil
		case !errors.Is(err, unix.EINTR):
			return -1, fmt.Errorf("open %s: %w", directory, err)
		}
	}
}

// of returns the mount of an open directory. Before Linux 5.8 statx does not know it, and the resolved path has to do.
func (m Mounts) of(s unix.Statx_t, resolved string) (MountRow, bool) {
	if s.Mask&unix.STATX_MNT_ID != 0 {
		if row, ok := m.byID(s.Mnt_id); ok {
			return row, true
		}
	}
	return m.Lexical(resolved)
}

// on fills in the facts of the mount.
func (f *Facts) on(row MountRow, watch Operations) {
	f.FSType = row.FSType
	f.Source = row.Source
	f.Mountpoint = row.Mountpoint
	f.Mount = row.Mount
	if networked(row.FSType) {
		f.Network = row.FSType
	}
	f.Device = row.blockDevice(watch)
}

// networked tells whether the storage of a file system of that type is another machine's.
func networked(fstype string) bool {
	switch fstype {
	case "nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "lustre", "beegfs", "gpfs", "afs", "orangefs",
		"fuse.glusterfs", "fuse.sshfs", "fuse.ceph", "fuse.ceph-fuse", "fuse.s3fs", "fuse.mfs", "fuse.moosefs",
		"fuse.juicefs", "fuse.rclone", "fuse.gcsfuse", "fuse.seaweedfs":
		return true
	default:
		return false
	}
}
