//go:build linux

package scratch

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// ErrNotRegular is wrapped by the error of OpenFile for a symlink, a FIFO, a directory or a device.
var ErrNotRegular = errors.New("not a regular file")

// Mode is the mode of every file made here, whatever the umask.
const Mode = 0o600

// Create makes a new file for reading and writing, with further open(2) flags such as O_DIRECT, and returns its
// descriptor. The file gets Mode and the owner of the directory. A name that exists, be it as a dangling symlink, is an
// error that wraps [unix.EEXIST].
func (d *Dir) Create(name string, flags int) (fd int, err error) {
	d.announce("create")
	flags |= unix.O_RDWR | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err = opened(func() (int, error) { return unix.Openat(d.fd, name, flags, Mode) })
	if err != nil {
		return -1, fmt.Errorf("create %s: %w", d.Path(name), err)
	}
	if err := d.Own(fd, name); err != nil {
		return -1, errors.Join(err, d.CloseFile(fd, name), d.Remove(name))
	}
	return fd, nil
}

// Own gives an open file, which must be one of our making, Mode and the owner of the directory.
//
// Who may not give files away (a process that is not root, root on an NFS export that squashes it, a file system
// without owners) keeps them: the engine never opens them, so their owner only matters to scripts that walk the
// directory.
func (d *Dir) Own(fd int, name string) error {
	d.announce("stat")
	var st unix.Stat_t
	if err := again(func() error { return unix.Fstat(fd, &st) }); err != nil {
		return fmt.Errorf("stat %s: %w", d.Path(name), err)
	}
	if st.Mode&0o7777 != Mode {
		d.announce("chmod")
		if err := again(func() error { return unix.Fchmod(fd, Mode) }); err != nil && !refused(err) {
			return fmt.Errorf("change the mode of %s: %w", d.Path(name), err)
		}
	}
	if int(st.Uid) != d.uid || int(st.Gid) != d.gid {
		return d.chown(fd, name)
	}
	return nil
}

// chown gives at least the group where the user is refused: a file's owner may pass it to any group of its own.
func (d *Dir) chown(fd int, name string) error {
	d.announce("chown")
	err := again(func() error { return unix.Fchown(fd, d.uid, d.gid) })
	if err != nil && refused(err) {
		err = again(func() error { return unix.Fchown(fd, -1, d.gid) })
	}
	if err != nil && !refused(err) {
		return fmt.Errorf("change the owner of %s: %w", d.Path(name), err)
	}
	return nil
}

// refused tells the errors that mean "not here" or "not by you" from those of broken storage.
func refused(err error) bool {
	return errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP)
}

// OpenFile opens an existing regular file with the open(2) flags and returns its descriptor, and its status also where
// it could not be opened. Nothing else is opened: the error of a symlink, a FIFO, a directory or a device wraps ErrNotRegular.
func (d *Dir) OpenFile(name string, flags int) (fd int, st unix.Stat_t, err error) {
	d.announce("stat")
	if err := again(func() error { return unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) }); err != nil {
		return -1, st, fmt.Errorf("stat %s: %w", d.Path(name), err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return -1, st, fmt.Errorf("open %s: %w", d.Path(name), ErrNotRegular)
	}
	d.announce("open")
	// What was regular a moment ago may have been exchanged: O_NOFOLLOW and O_NONBLOCK hold then, and fstat decides.
	flags |= unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC
	fd, err = opened(func() (int, error) { return unix.Openat(d.fd, name, flags, 0) })
	if err != nil {
		return -1, st, fmt.Errorf("open %s: %w", d.Path(name), err)
	}
	if err = again(func() error { return unix.Fstat(fd, &st) }); err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = ErrNotRegular
	}
	if err != nil {
		return -1, st, errors.Join(fmt.Errorf("stat %s: %w", d.Path(name), err), d.CloseFile(fd, name))
	}
	return fd, st, nil
}

// CloseFile closes a descriptor from Create or OpenFile. Its error may be one of an earlier write.
func (d *Dir) CloseFile(fd int, name string) error {
	d.announce("close")
	if err := closed(fd); err != nil {
		return fmt.Errorf("close %s: %w", d.Path(name), err)
	}
	return nil
}

// Rename gives the file from the name to, in place of what may have that name.
func (d *Dir) Rename(from, to string) error {
	d.announce("rename")
	if err := again(func() error { return unix.Renameat(d.fd, from, d.fd, to) }); err != nil {
		return fmt.Errorf("rename %s to %s: %w", d.Path(from), to, err)
	}
	return nil
}

// Remove removes a file, or a symlink or FIFO that has its name. A name that is not there is no error.
func (d *Dir) Remove(name string) error {
	d.announce("unlink")
	if err := again(func() error { return unix.Unlinkat(d.fd, name, 0) }); err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("remove %s: %w", d.Path(name), err)
	}
	return nil
}
