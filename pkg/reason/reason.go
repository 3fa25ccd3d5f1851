//go:build linux

// Package reason maps the errors of storage operations to the closed set of the label reason.
package reason

import (
	"errors"
	"io"
	"syscall"
)

// Reason is why a storage request failed: a value of the closed set of the label reason of the failures counters.
type Reason string

// The closed set.
const (
	EIO     Reason = "eio"
	ENOSPC  Reason = "enospc"
	EDQUOT  Reason = "edquot"
	EROFS   Reason = "erofs"
	EACCES  Reason = "eacces"
	EPERM   Reason = "eperm"
	ENOENT  Reason = "enoent"
	ENOTDIR Reason = "enotdir"
	ELOOP   Reason = "eloop"
	ENODEV  Reason = "enodev"
	ESTALE  Reason = "estale"
	EMFILE  Reason = "emfile"
	EINVAL  Reason = "einval"
	// Short is a read or write that moved fewer bytes than asked.
	Short Reason = "short"
	// Corrupt is data that is not what was written.
	Corrupt Reason = "corrupt"
	Other   Reason = "other"
)

// All returns the closed set in the order of the contract.
func All() []Reason {
	return []Reason{EIO, ENOSPC, EDQUOT, EROFS, EACCES, EPERM, ENOENT, ENOTDIR, ELOOP, ENODEV, ESTALE, EMFILE, EINVAL, Short, Corrupt, Other}
}

// ErrCorrupt is wrapped by errors that mean Corrupt.
var ErrCorrupt = errors.New("data is not what was written")

// Of returns the reason that stands for err, empty for nil.
func Of(err error) Reason {
	if err == nil {
		return ""
	}
	if errors.Is(err, ErrCorrupt) {
		return Corrupt
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrShortWrite) || errors.Is(err, io.EOF) {
		return Short
	}
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return Other
	}
	return ofErrno(errno)
}

func ofErrno(errno syscall.Errno) Reason {
	switch errno {
	case syscall.EIO, syscall.EREMOTEIO, syscall.EBADMSG:
		return EIO
	case syscall.ENOSPC:
		return ENOSPC
	case syscall.EDQUOT:
		return EDQUOT
	case syscall.EROFS:
		return EROFS
	case syscall.EACCES:
		return EACCES
	case syscall.EPERM:
		return EPERM
	case syscall.ENOENT:
		return ENOENT
	case syscall.ENOTDIR:
		return ENOTDIR
	case syscall.ELOOP:
		return ELOOP
	case syscall.ENODEV, syscall.ENXIO, syscall.ENOTCONN, syscall.ENOMEDIUM:
		return ENODEV
	case syscall.ESTALE:
		return ESTALE
	case syscall.EMFILE, syscall.ENFILE:
		return EMFILE
	case syscall.EINVAL:
		return EINVAL
	default:
		return Other
	}
}
