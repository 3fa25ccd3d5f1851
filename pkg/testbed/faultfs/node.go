//go:build linux

package faultfs

import (
	"context"
	"syscall"

	gofs "github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// node is a file or directory of the file system.
type node struct {
	*gofs.LoopbackNode
	fs *FS
}

// wrapNode makes a file or directory one whose operations go wrong too.
func (f *FS) wrapNode(ops gofs.InodeEmbedder) gofs.InodeEmbedder {
	loopback, ok := ops.(*gofs.LoopbackNode)
	if !ok {
		return ops
	}
	return &node{LoopbackNode: loopback, fs: f}
}

// WrapChild makes the children of a node like it.
func (n *node) WrapChild(_ context.Context, ops gofs.InodeEmbedder) gofs.InodeEmbedder {
	return n.fs.wrapNode(ops)
}

func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (inode *gofs.Inode, errno syscall.Errno) {
	errno = n.fs.do(Lookup, func() (e syscall.Errno) {
		inode, e = n.LoopbackNode.Lookup(ctx, name, out)
		return e
	})
	return inode, errno
}

func (n *node) Getattr(ctx context.Context, fh gofs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	return n.fs.do(Getattr, func() syscall.Errno { return n.LoopbackNode.Getattr(ctx, fh, out) })
}

func (n *node) Setattr(ctx context.Context, fh gofs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	return n.fs.do(Setattr, func() syscall.Errno { return n.LoopbackNode.Setattr(ctx, fh, in, out) })
}

func (n *node) Statfs(ctx context.Context, out *fuse.StatfsOut) syscall.Errno {
	return n.fs.do(Statfs, func() syscall.Errno { return n.LoopbackNode.Statfs(ctx, out) })
}

func (n *node) Unlink(ctx context.Context, name string) syscall.Errno {
	return n.fs.do(Unlink, func() syscall.Errno { return n.LoopbackNode.Unlink(ctx, name) })
}

func (n *node) Rename(ctx context.Context, name string, parent gofs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	return n.fs.do(Rename, func() syscall.Errno { return n.LoopbackNode.Rename(ctx, name, parent, newName, flags) })
}

func (n *node) OpendirHandle(ctx context.Context, flags uint32) (fh gofs.FileHandle, fuseFlags uint32, errno syscall.Errno) {
	errno = n.fs.do(Readdir, func() (e syscall.Errno) {
		fh, fuseFlags, e = n.LoopbackNode.OpendirHandle(ctx, flags)
		return e
	})
	return fh, fuseFlags, errno
}

func (n *node) Open(ctx context.Context, flags uint32) (fh gofs.FileHandle, fuseFlags uint32, errno syscall.Errno) {
	errno = n.fs.do(Open, func() (e syscall.Errno) {
		if e = n.fs.checkFlags(flags); e == 0 {
			fh, _, e = n.LoopbackNode.Open(ctx, flags&^syscall.O_DIRECT)
		}
		return e
	})
	fh, fuseFlags = n.fs.wrap(fh)
	return fh, fuseFlags, errno
}

func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (inode *gofs.Inode, fh gofs.FileHandle, fuseFlags uint32, errno syscall.Errno) {
	errno = n.fs.do(Create, func() (e syscall.Errno) {
		if e = n.fs.checkFlags(flags); e == 0 {
			inode, fh, _, e = n.LoopbackNode.Create(ctx, name, flags&^syscall.O_DIRECT, mode, out)
		}
		return e
	})
	fh, fuseFlags = n.fs.wrap(fh)
	return inode, fh, fuseFlags, errno
}

func (n *node) Tmpfile(ctx context.Context, flags, mode uint32, out *fuse.EntryOut) (inode *gofs.Inode, fh gofs.FileHandle, fuseFlags uint32, errno syscall.Errno) {
	errno = n.fs.do(Create, func() (e syscall.Errno) {
		if e = n.fs.checkFlags(flags); e == 0 {
			inode, fh, _, e = n.LoopbackNode.Tmpfile(ctx, flags&^syscall.O_DIRECT, mode, out)
		}
		return e
	})
	fh, fuseFlags = n.fs.wrap(fh)
	return inode, fh, fuseFlags, errno
}

// checkFlags refuses direct I/O where that is wanted. The backing file is never opened for it: its alignment would be
// asked of the server's own buffers.
func (f *FS) checkFlags(flags uint32) syscall.Errno {
	if f.options.RefuseDirect && flags&syscall.O_DIRECT != 0 {
		return syscall.EINVAL
	}
	return 0
}

// wrap makes an open file one whose operations go wrong too.
func (f *FS) wrap(fh gofs.FileHandle) (gofs.FileHandle, uint32) {
	loopback, ok := fh.(*gofs.LoopbackFile)
	if !ok {
		return nil, 0
	}
	if f.options.DirectIO {
		return &file{LoopbackFile: loopback, fs: f}, fuse.FOPEN_DIRECT_IO
	}
	return &file{LoopbackFile: loopback, fs: f}, 0
}

// file is an open file.
type file struct {
	*gofs.LoopbackFile
	fs *FS
}

// PassthroughFd keeps the kernel from going to the backing file past the server.
func (f *file) PassthroughFd() (int, bool) { return 0, false }

func (f *file) Read(ctx context.Context, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	if f.fs.options.OnRead != nil {
		f.fs.options.OnRead(off)
	}
	var data []byte
	fault, errno := f.fs.doFault(Read, func() syscall.Errno {
		result, e := f.LoopbackFile.Read(ctx, dest, off)
		if e != 0 {
			return e
		}
		defer result.Done()
		var status fuse.Status
		data, status = result.Bytes(dest)
		return syscall.Errno(status)
	})
	if errno != 0 {
		return nil, errno
	}
	if fault.Short {
		data = data[:len(data)/2]
	}
	if fault.Flip && len(data) > 0 {
		data[len(data)/2] ^= 1
	}
	return fuse.ReadResultData(data), 0
}

func (f *file) Write(ctx context.Context, data []byte, off int64) (n uint32, errno syscall.Errno) {
	errno = f.fs.do(Write, func() (e syscall.Errno) {
		n, e = f.LoopbackFile.Write(ctx, data, off)
		return e
	})
	return n, errno
}

func (f *file) Fsync(ctx context.Context, flags uint32) syscall.Errno {
	return f.fs.do(Fsync, func() syscall.Errno { return f.LoopbackFile.Fsync(ctx, flags) })
}
