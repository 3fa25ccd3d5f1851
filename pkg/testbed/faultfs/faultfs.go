//go:build linux

// Package faultfs is storage of known vices for tests and benchmarks: a FUSE file system that passes everything
// through to a directory, and in which each class of operations can be made slow, hanging, failing or lying while it
// is mounted.
package faultfs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	gofs "github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// Operation is a class of operations.
type Operation string

// The classes.
const (
	Lookup  Operation = "lookup"
	Getattr Operation = "getattr"
	Setattr Operation = "setattr" // chmod, chown, truncate, utimes
	Open    Operation = "open"
	Create  Operation = "create" // O_TMPFILE too
	Read    Operation = "read"
	Write   Operation = "write"
	Fsync   Operation = "fsync"
	Rename  Operation = "rename"
	Unlink  Operation = "unlink"
	Readdir Operation = "readdir" // the opening of a directory
	Statfs  Operation = "statfs"
)

// Fault is how the operations of a class go wrong. The zero value is no fault.
type Fault struct {
	// Delay is how long an operation takes, from its arrival to its answer, to a few microseconds.
	Delay time.Duration
	// Errno is the answer.
	Errno syscall.Errno
	// Short makes a read return half of the bytes.
	Short bool
	// Flip inverts one bit of what a read returns.
	Flip bool
}

// Options are how a file system is mounted.
type Options struct {
	// DirectIO answers each open with FOPEN_DIRECT_IO: the kernel keeps no page cache, whatever the flags of the open.
	DirectIO bool
	// RefuseDirect answers an open with O_DIRECT with EINVAL.
	RefuseDirect bool
	// CacheAttributes lets the kernel keep names and attributes for a second. Otherwise it asks each time.
	CacheAttributes bool
	// OnRead is told the offset of each read, on the serving thread; it may be nil.
	OnRead func(offset int64)
}

// FS is a mounted file system. Its methods may be used from several goroutines at once.
type FS struct {
	mountpoint string
	backing    string
	options    Options
	server     *fuse.Server
	connection string // its name in fusectl

	mu      sync.Mutex
	faults  map[Operation]*setting
	counts  map[Operation]int
	hanging int
	closed  bool
}

// setting is the fault of a class until another one is set.
type setting struct {
	Fault
	held    chan struct{} // closed when the first operation hangs; nil where none is to
	holding bool
	over    chan struct{} // closed when the fault is over
}

// New mounts the directory backing on the directory mountpoint. It needs root. Close the file system in the end.
func New(backing, mountpoint string, options Options) (*FS, error) {
	f := &FS{
		mountpoint: mountpoint, backing: backing, options: options,
		faults: map[Operation]*setting{}, counts: map[Operation]int{},
	}
	if err := f.mount(); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *FS) mount() error {
	root, err := gofs.NewLoopbackRoot(f.backing)
	if err != nil {
		return fmt.Errorf("serve directory %s: %w", f.backing, err)
	}
	f.server, err = gofs.Mount(f.mountpoint, f.wrapNode(root), f.mountOptions())
	if err != nil {
		return fmt.Errorf("mount on %s: %w", f.mountpoint, err)
	}
	var st unix.Stat_t
	if err := unix.Stat(f.mountpoint, &st); err != nil {
		return errors.Join(fmt.Errorf("stat %s: %w", f.mountpoint, err), f.server.Unmount())
	}
	f.connection = strconv.Itoa(int(unix.Minor(st.Dev)))
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.counts) // the look at the mount point is not the user's
	return nil
}

// Abort ends the server under the mount, as a crash of it would: what is done there fails with ENOTCONN.
func (f *FS) Abort() error {
	if err := abort(f.connection); err != nil {
		return fmt.Errorf("abort the connection of %s: %w", f.mountpoint, err)
	}
	f.server.Wait()
	return nil
}

// Revive takes away the mount that Abort has left dead, and mounts anew in its place.
func (f *FS) Revive() error {
	if err := unix.Unmount(f.mountpoint, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("unmount %s: %w", f.mountpoint, err)
	}
	return f.mount()
}

func (f *FS) mountOptions() *gofs.Options {
	var timeout time.Duration
	if f.options.CacheAttributes {
		timeout = time.Second
	}
	return &gofs.Options{
		MountOptions: fuse.MountOptions{
			DirectMountStrict: true,
			AllowOther:        true,
			DisableXAttrs:     true,
			FsName:            f.backing,
			Name:              "faultfs",
		},
		EntryTimeout:    &timeout,
		AttrTimeout:     &timeout,
		NegativeTimeout: &timeout,
		NullPermissions: true,
	}
}

// Path returns the mount point.
func (f *FS) Path() string { return f.mountpoint }

// Backing returns the directory that is served. What is done there is not seen as an operation.
func (f *FS) Backing() string { return f.backing }

// Set makes the operations of a class go wrong from now on, and lets those go on that hang.
func (f *FS) Set(op Operation, fault Fault) { f.set(op, &setting{Fault: fault}) }

// Hang holds the operations of a class until another fault is set, all are cleared, or the file system is closed; then
// they go on. As on a hard NFS mount, only the death of its process interrupts one. The channel is closed when the
// first of them hangs.
func (f *FS) Hang(op Operation) (held <-chan struct{}) {
	s := &setting{held: make(chan struct{})}
	f.set(op, s)
	return s.held
}

func (f *FS) set(op Operation, s *setting) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.end(op)
	if !f.closed {
		s.over = make(chan struct{})
		f.faults[op] = s
	}
}

// end lets go what hangs. The lock is held.
func (f *FS) end(op Operation) {
	if s := f.faults[op]; s != nil {
		close(s.over)
		delete(f.faults, op)
	}
}

// Clear ends all faults.
func (f *FS) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clear()
}

func (f *FS) clear() {
	for op := range f.faults {
		f.end(op)
	}
}

// Count returns how many operations of a class have arrived.
func (f *FS) Count(op Operation) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts[op]
}

// Hanging returns how many operations hang at this moment.
func (f *FS) Hanging() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hanging
}

// Close ends all faults and unmounts. Who still has a file open gets errors from it, so that nothing hangs for longer.
func (f *FS) Close() error {
	f.mu.Lock()
	f.closed = true
	f.clear()
	f.mu.Unlock()
	var failure error
	// While it is mounted, no other file system can have its number.
	if err := abort(f.connection); err != nil {
		failure = fmt.Errorf("abort the connection of %s: %w", f.mountpoint, err)
	}
	if err := unix.Unmount(f.mountpoint, unix.MNT_DETACH); err != nil {
		failure = errors.Join(failure, fmt.Errorf("unmount %s: %w", f.mountpoint, err))
	}
	if failure == nil {
		f.server.Wait()
	}
	return failure
}

// abort ends a FUSE connection that somebody still uses. The control file system is not mounted everywhere, so it is
// for a moment.
func abort(connection string) (err error) {
	control, err := os.MkdirTemp("", "fusectl")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(control)) }()
	if err := unix.Mount("fusectl", control, "fusectl", 0, ""); err != nil {
		return fmt.Errorf("mount fusectl: %w", err)
	}
	// A process that is being started by another test has the file open for a moment.
	defer func() { err = errors.Join(err, unix.Unmount(control, unix.MNT_DETACH)) }()
	err = os.WriteFile(filepath.Join(control, connection, "abort"), []byte("1"), 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil // somebody has unmounted it, and nobody has a file open
	}
	return err
}
