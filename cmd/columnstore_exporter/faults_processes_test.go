//go:build mariadb

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// troubledProcesses befall the worker or the daemon.
func troubledProcesses() []fault {
	signal := func(signal syscall.Signal) func(*stage) {
		return func(s *stage) { s.must(syscall.Kill(s.worker(), signal)) }
	}
	lower := func(limit string, value int) func(*stage) {
		return func(s *stage) { s.lower(s.worker(), limit, value) }
	}
	lift := func(limit string) func(*stage) { return func(s *stage) { s.lift(limit) } }
	return []fault{
		{name: "worker stopped", storage: disk, process: true, sign: hangs(), begin: signal(syscall.SIGSTOP), end: signal(syscall.SIGCONT)},
		{name: "worker killed", storage: disk, process: true, sign: restarts(), begin: signal(syscall.SIGKILL), kills: true},
		{
			name: "worker without memory", storage: disk, process: true, kills: true,
			sign:  either(restarts(), fails("read", "other")),
			begin: lower("as", 1<<20),
			end:   lift("as"),
		},
		{
			name: "worker without descriptors", storage: disk, process: true, kills: true,
			sign:  either(fails("read", "emfile"), restarts()), // a young one cannot even begin
			begin: lower("nofile", 3), end: lift("nofile"),
		},
		{
			name: "worker without threads", storage: diskOfUser, process: true, kills: true, sign: restarts(),
			begin: lower("nproc", 1),
		},
		{
			name: "no process left", storage: diskOfUser, process: true, kills: true, sign: skips("worker"),
			begin: func(s *stage) {
				worker := s.worker()
				s.lower(s.daemon.cmd.Process.Pid, "nproc", 1)
				s.must(syscall.Kill(worker, syscall.SIGKILL))
			},
			end: lift("nproc"),
		},
		{
			name: "daemon short of descriptors", storage: disk, process: true, kills: true, sign: skips("worker"),
			begin: func(s *stage) {
				pid := s.daemon.cmd.Process.Pid
				open, err := os.ReadDir("/proc/" + itoa(pid) + "/fd")
				s.must(err)
				worker := s.worker()
				s.lower(pid, "nofile", len(open)+3) // enough to answer, too few for the pipes of a worker
				s.must(syscall.Kill(worker, syscall.SIGKILL))
			},
			end: lift("nofile"),
		},
		{
			name: "state directory full", storage: disk, sign: unharmed(),
			begin: func(s *stage) {
				mountOn(s.T, "tmpfs", s.state(), "size=64k")
				s.fill(s.state())
			},
			not: []moment{duringTrial}, // the trial has begun, and what it needs is there
		},
		{name: "clock an hour on", storage: disk, injected: true, sign: unharmed(), begin: step(time.Hour), end: step(0)},
		{name: "clock an hour back", storage: disk, injected: true, sign: unharmed(), begin: step(-time.Hour), end: step(0)},
	}
}

// step sets the daemon's clock off from the machine's.
func step(by time.Duration) func(*stage) {
	return func(s *stage) { s.must(os.WriteFile(filepath.Join(s.state(), clockName), []byte(by.String()), 0o644)) }
}

// state is the daemon's state directory.
func (s *stage) state() string {
	for _, setting := range s.settings {
		if dir, ok := strings.CutPrefix(setting, "STATE_DIR="); ok {
			return dir
		}
	}
	return ""
}

// worker is the process that serves the DBroot. At the start there is one soon.
func (s *stage) worker() (pid int) {
	s.Helper()
	s.poll("a worker", func() bool {
		for _, pid = range children(s.T, s.daemon.cmd.Process.Pid) {
			line, err := os.ReadFile("/proc/" + itoa(pid) + "/cmdline")
			if err == nil && strings.HasSuffix(string(line), "\x00"+s.device(s.T)+"\x00") {
				return true
			}
		}
		return false
	})
	return pid
}

// lower lowers a soft limit of a process. Only its user may do so where root is confined.
func (s *stage) lower(pid int, limit string, value int) {
	s.Helper()
	before, err := s.asUser("prlimit", "--pid", itoa(pid), "--"+limit, "--output=SOFT", "--noheadings").Output()
	if s.limits == nil {
		s.limits = map[int]string{}
	}
	s.must(err)
	s.limits[pid] = strings.TrimSpace(string(before))
	s.setLimit(pid, limit, itoa(value))
}

// lift undoes lower. A process that has come since has the limits of the daemon.
func (s *stage) lift(limit string) {
	s.Helper()
	for pid, before := range s.limits {
		s.setLimit(pid, limit, before)
	}
}

func (s *stage) setLimit(pid int, limit, soft string) {
	s.Helper()
	cmd := s.asUser("prlimit", "--pid", itoa(pid), "--"+limit+"="+soft+":")
	if out, err := cmd.CombinedOutput(); err != nil && exists(pid) {
		s.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}

func exists(pid int) bool { return syscall.Kill(pid, 0) == nil }
