//go:build linux

package scratch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// maxSymlinks is how many symlinks the kernel follows in one path (path_resolution(7)).
const maxSymlinks = 40

// checkSymlinks refuses a directory to which somebody's symlink has led: whoever may write beside the directory could
// have root make files anywhere. A symlink counts that root, this process's user or the owner of the directory has made,
// as for fs.protected_symlinks (proc_sys_fs(5)).
func (d *Dir) checkSymlinks() error {
	resolved, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(d.fd))
	if err != nil {
		return fmt.Errorf("resolve directory %s: %w", d.path, err)
	}
	if resolved == filepath.Clean(d.path) {
		return nil
	}
	d.announce("readlink")
	led, err := d.follow(d.path)
	if err != nil {
		return fmt.Errorf("follow the symlinks of directory %s: %w", d.path, err)
	}
	if led != resolved {
		return fmt.Errorf("open directory %s: it led to %s, and now to %s: %w", d.path, resolved, led, unix.EPERM)
	}
	return nil
}

// follow resolves the path as the kernel does, as far as every symlink in it counts.
func (d *Dir) follow(path string) (string, error) {
	resolved, rest := "/", strings.Split(path, "/")
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		next := filepath.Join(resolved, name) // "..": what is resolved holds no symlink
		var st unix.Stat_t
		if err := again(func() error { return unix.Lstat(next, &st) }); err != nil {
			return "", fmt.Errorf("stat %s: %w", next, err)
		}
		if st.Mode&unix.S_IFMT != unix.S_IFLNK {
			resolved = next
			continue
		}
		links++
		if links > maxSymlinks {
			return "", unix.ELOOP
		}
		if owner := int(st.Uid); owner != 0 && owner != os.Geteuid() && owner != d.uid {
			return "", fmt.Errorf("%s was made by user %d, who is neither root nor the owner of the directory: %w", next, owner, unix.EPERM)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", errors.Unwrap(err)
		}
		if filepath.IsAbs(target) {
			resolved = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return resolved, nil
}
