//go:build linux

package scratch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// tick is the unit of the times in /proc/<pid>/stat: USER_HZ is 100 on every platform that Go runs on.
const tick = 10 * time.Millisecond

// batch is how many names are asked for at once.
const batch = 256

// Leftovers returns the names of temporary files of this host whose makers are gone, and how many there are of other
// processes that live. The probe file is none, and nothing that another host or another program made is.
//
// A maker is gone when no process has its id, or when the process that has it started after the file was made. Of this
// process's own files those count that it made before a time: a file system that has crashed may bring back what was
// removed. The zero time stands for none.
func (d *Dir) Leftovers(own time.Time) (names []string, others int, err error) {
	d.announce("readdir")
	fd, err := opened(func() (int, error) {
		return unix.Openat(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, 0, fmt.Errorf("open directory %s: %w", d.path, err)
	}
	dir := os.NewFile(uintptr(fd), d.path)
	defer func() { err = errors.Join(err, dir.Close()) }()
	for {
		entries, err := dir.Readdirnames(batch)
		for _, name := range entries {
			t, ours := parseTemp(name, d.host)
			switch {
			case !ours:
			case !alive(t), t.pid == os.Getpid() && t.made.Before(own):
				names = append(names, name)
			case t.pid != os.Getpid():
				others++
			}
		}
		if errors.Is(err, io.EOF) {
			return names, others, nil
		}
		if err != nil {
			return names, others, fmt.Errorf("list directory %s: %w", d.path, err)
		}
	}
}

// RemoveLeftovers removes the Leftovers. It reports tidy when none is left, and none can come of another process.
func (d *Dir) RemoveLeftovers(own time.Time) (tidy bool, err error) {
	names, others, err := d.Leftovers(own)
	for _, name := range names {
		err = errors.Join(err, d.Remove(name))
	}
	return others == 0 && err == nil, err
}

// alive reports whether the process that made the file still runs.
func alive(t temp) bool {
	process, err := procfs.NewProc(t.pid)
	if err != nil {
		return false
	}
	stat, err := process.Stat()
	if err != nil || stat.State == "Z" || stat.State == "X" { // ended, and not yet waited for by its parent
		return false
	}
	started := bootTime().Add(time.Duration(stat.Starttime) * tick)
	return !t.made.Before(started)
}

// bootTime returns when the kernel started, by the wall clock as it stands. /proc/stat has it in whole seconds only.
func bootTime() time.Time {
	var up unix.Timespec
	// CLOCK_BOOTTIME exists on every Linux that Go runs on, so the call cannot go wrong.
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &up)
	return time.Now().Add(-time.Duration(up.Nano()))
}
