//go:build linux

package scratch

import (
	"errors"

	"golang.org/x/sys/unix"
)

// The runtime's preemption signal may interrupt calls on FUSE and on soft NFS. That is no failure of the storage.

// again repeats a call that was interrupted.
func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// opened repeats an open that was interrupted.
func opened(open func() (int, error)) (fd int, err error) {
	err = again(func() error { fd, err = open(); return err })
	return fd, err
}

// closed closes fd. An interrupted close has closed it, so it must not be repeated.
func closed(fd int) error {
	if err := unix.Close(fd); !errors.Is(err, unix.EINTR) {
		return err
	}
	return nil
}
