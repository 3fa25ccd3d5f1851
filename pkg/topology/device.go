//go:build linux

package topology

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// blockDevice returns the kernel's name (sda1, dm-3, loop0) of the block device under the mount; empty where there is none.
func (r MountRow) blockDevice(watch Operations) string {
	device := r.Device
	// Major 0 is a made-up number: NFS, FUSE and tmpfs have no block device, btrfs may have several and names one as source.
	if strings.HasPrefix(device, "0:") {
		if !strings.HasPrefix(r.Source, "/dev/") {
			return ""
		}
		watch.begin("stat")
		var s unix.Stat_t
		if err := unix.Stat(r.Source, &s); err != nil || s.Mode&unix.S_IFMT != unix.S_IFBLK {
			return ""
		}
		device = fmt.Sprintf("%d:%d", unix.Major(s.Rdev), unix.Minor(s.Rdev))
	}
	link, err := os.Readlink("/sys/dev/block/" + device)
	if err != nil {
		return ""
	}
	return filepath.Base(link)
}
