//go:build mariadb

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// lostMounts take away what the DBroot lies on.
func lostMounts() []fault {
	return []fault{
		{
			name: "device gone", storage: xfs, sign: fails("read", "eio"),
			begin: func(s *stage) { s.shell("xfs_io", "-x", "-c", "shutdown", s.dir) },
			end: func(s *stage) {
				testbed.Detach(s.T, s.dir)
				testbed.Reattach(s.T, s.dir)
			},
		},
		{
			name: "file server gone", storage: fuse, sign: fails("read", "enodev"),
			begin: func(s *stage) { s.must(s.fs.Abort()) },
			end:   func(s *stage) { s.must(s.fs.Revive()) },
		},
		{
			name: "mount gone", storage: ext4, sign: skips("mount"),
			begin: func(s *stage) { testbed.Detach(s.T, s.dir) },
			end: func(s *stage) {
				s.mustBeEmpty(s.dir)
				testbed.Reattach(s.T, s.dir)
			},
			not: []moment{atStart}, // nobody knows then that there should be one
		},
		{
			name: "mount replaced", storage: ext4, sign: adopts("tmpfs"),
			begin: func(s *stage) {
				testbed.Detach(s.T, s.dir)
				s.must(unix.Mount("tmpfs", s.dir, "tmpfs", 0, "size=8m"))
			},
			end: func(s *stage) {
				testbed.Detach(s.T, s.dir)
				testbed.Reattach(s.T, s.dir)
			},
		},
	}
}

func (s *stage) mustBeEmpty(dir string) {
	s.Helper()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		s.Errorf("what lies under the mount was written to: %v %v", entries, err)
	}
}

// replacedDirectories put something else in the DBroot's place, or take it away.
func replacedDirectories() []fault {
	aside := func(s *stage) { s.must(os.Rename(s.dir, s.dir+".aside")) }
	back := func(s *stage) { s.must(os.Rename(s.dir+".aside", s.dir)) }
	return []fault{
		{name: "directory gone", storage: disk, sign: fails("read", "enoent"), begin: aside, end: back},
		{
			name: "file in its place", storage: disk, sign: fails("read", "enotdir"),
			begin: func(s *stage) {
				aside(s)
				s.must(os.WriteFile(s.dir, nil, 0o600))
			},
			end: func(s *stage) {
				s.must(os.Remove(s.dir))
				back(s)
			},
		},
		{
			name: "somebody's symlink in its place", storage: disk, sign: fails("read", "eperm"),
			begin: func(s *stage) {
				aside(s)
				elsewhere := s.TempDir()
				s.forbidden = append(s.forbidden, elsewhere)
				s.must(os.Symlink(elsewhere, s.dir))
				s.must(os.Lchown(s.dir, 1000, 1000))
			},
			end: func(s *stage) {
				s.must(os.Remove(s.dir))
				back(s)
			},
		},
		{
			name: "search permission gone", storage: diskOfUser, sign: fails("read", "eacces"),
			begin: func(s *stage) { s.must(os.Chmod(s.dir, 0)) },
			end:   func(s *stage) { s.must(os.Chmod(s.dir, 0o755)) },
		},
	}
}

// spoiltProbeFiles do something to the probe file. All are made good without anybody's help.
func spoiltProbeFiles() []fault {
	spoil := func(name string, what sign, storage func(*testing.T) *bed, begin func(s *stage, probe string)) fault {
		return fault{name: "probe file " + name, storage: storage, sign: what, begin: func(s *stage) { begin(s, s.probeFile()) }}
	}
	return []fault{
		spoil("deleted", unharmed(), overlay, func(s *stage, probe string) { s.must(os.Remove(probe)) }),
		spoil("truncated", either(fallsOnce("corrupt"), fallsOnce("short")), disk, func(s *stage, probe string) { s.must(os.Truncate(probe, 4096)) }),
		spoil("made sparse", fallsOnce("corrupt"), ext4, func(s *stage, probe string) {
			file, err := os.OpenFile(probe, os.O_RDWR, 0)
			s.must(err)
			defer file.Close()
			s.must(unix.Fallocate(int(file.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, 1<<20))
		}),
		spoil("made a symlink", unharmed(), disk, func(s *stage, probe string) {
			victim := filepath.Join(s.TempDir(), "victim")
			s.must(os.WriteFile(victim, []byte("untouched"), 0o600))
			s.Cleanup(func() {
				if text, err := os.ReadFile(victim); string(text) != "untouched" {
					s.Errorf("the symlink's target holds %q: %v", text, err)
				}
			})
			s.must(os.Remove(probe))
			s.must(os.Symlink(victim, probe))
		}),
		spoil("made a FIFO", unharmed(), disk, func(s *stage, probe string) {
			s.must(os.Remove(probe))
			s.must(syscall.Mkfifo(probe, 0o600))
		}),
		spoil("open to everybody", unharmed(), disk, func(s *stage, probe string) { s.must(os.Chmod(probe, 0o666)) }),
	}
}

// probeFile is where the exporter keeps it.
func (s *stage) probeFile() string {
	s.Helper()
	found, err := filepath.Glob(filepath.Join(s.files(), ".columnstore_exporter-*.probe"))
	if err != nil || len(found) != 1 {
		s.Fatalf("probe files %q: %v", found, err)
	}
	return found[0]
}
