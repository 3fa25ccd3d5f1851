//go:build mariadb

package main

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
)

// fault is one way in which things go wrong.
type fault struct {
	name    string
	storage func(*testing.T) *bed
	// begin lets it begin; end takes it away, nil where it is over by itself.
	begin, end func(*stage)
	sign       sign
	// process tells that it befalls a process, which has to be there.
	process bool
	// kills tells that a worker falls, as it must.
	kills bool
	// injected tells that it needs the daemon of the tests, whose clock can be set.
	injected bool
	// not are the moments at which it cannot be.
	not []moment
}

func (f fault) canBe(m moment) bool { return !slices.Contains(f.not, m) }

// faults is the table of them.
func faults() []fault {
	return slices.Concat(hangingOperations(), failingOperations(), lostMounts(), replacedDirectories(), spoiltProbeFiles(), troubledProcesses())
}

// hangingOperations hold one class of operations each.
func hangingOperations() (all []fault) {
	for _, op := range []faultfs.Operation{
		faultfs.Open, faultfs.Read, faultfs.Create, faultfs.Write, faultfs.Fsync, faultfs.Rename, faultfs.Unlink, faultfs.Lookup,
		faultfs.Readdir, faultfs.Statfs,
	} {
		all = append(all, fault{
			name: string(op) + " hangs", storage: fuse, sign: hangs(),
			begin: func(s *stage) { s.fs.Hang(op) },
			end:   func(s *stage) { s.fs.Clear() },
		})
	}
	return append(all, fault{
		name: "XFS frozen", storage: xfs, sign: hangs(),
		begin: func(s *stage) { testbed.Freeze(s.T, s.dir) },
		end:   func(s *stage) { testbed.Thaw(s.T, s.dir) },
	})
}

// failingOperations answer with an error, or lie.
func failingOperations() []fault {
	set := func(name string, what sign, wrong faultfs.Fault, ops ...faultfs.Operation) fault {
		return fault{
			name: name, storage: fuse, sign: what,
			begin: func(s *stage) {
				for _, op := range ops {
					s.fs.Set(op, wrong)
				}
			},
			end: func(s *stage) { s.fs.Clear() },
		}
	}
	errno := func(e syscall.Errno) faultfs.Fault { return faultfs.Fault{Errno: e} }
	return []fault{
		set("read EIO", fails("read", "eio"), errno(unix.EIO), faultfs.Read),
		set("fsync EIO", fails("commit", "eio"), errno(unix.EIO), faultfs.Fsync),
		set("write EDQUOT", fails("commit", "edquot"), errno(unix.EDQUOT), faultfs.Write),
		set("ESTALE", fails("read", "estale"), errno(unix.ESTALE), faultfs.Lookup, faultfs.Getattr, faultfs.Open, faultfs.Create, faultfs.Read),
		set("open EACCES", fails("read", "eacces"), errno(unix.EACCES), faultfs.Open),
		set("create ENOENT", fails("commit", "enoent"), errno(unix.ENOENT), faultfs.Create),
		set("short read", fails("read", "short"), faultfs.Fault{Short: true}, faultfs.Read),
		set("wrong data", fails("read", "corrupt"), faultfs.Fault{Flip: true}, faultfs.Read),
		{
			name: "ENOSPC", storage: tmpfs, sign: fails("commit", "enospc"),
			begin: func(s *stage) { s.fill(s.dir) },
			end:   func(s *stage) { s.must(os.Remove(filepath.Join(s.dir, "ballast"))) },
		},
		{
			name: "EROFS", storage: ext4, sign: fails("commit", "erofs"),
			begin: func(s *stage) { s.remount(unix.MS_RDONLY) },
			end:   func(s *stage) { s.remount(0) },
		},
	}
}

// fill leaves no room on a small file system.
func (s *stage) fill(dir string) {
	s.Helper()
	file, err := os.Create(filepath.Join(dir, "ballast"))
	s.must(err)
	defer file.Close()
	for {
		if _, err := file.Write(make([]byte, 4096)); err != nil {
			return
		}
	}
}

// remount changes the mount once nobody writes there.
func (s *stage) remount(flags uintptr) {
	s.Helper()
	s.poll("nobody writes", func() bool { return unix.Mount("", s.dir, "", unix.MS_REMOUNT|flags, "") == nil })
}
