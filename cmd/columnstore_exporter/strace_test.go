//go:build mariadb

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
)

// tracedCalls are those that make, change, open or remove a file, and those that send a signal. What is written to a file
// was opened for that.
const tracedCalls = "open,openat,openat2,creat,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,mknod,mknodat," +
	"link,linkat,symlink,symlinkat,truncate,ftruncate,fallocate,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat," +
	"setxattr,lsetxattr,fsetxattr,removexattr,lremovexattr,fremovexattr,mount,umount2," +
	"kill,tkill,tgkill,rt_sigqueueinfo,rt_tgsigqueueinfo,pidfd_send_signal,execve"

// underStrace makes a command that runs the program and all that it starts under strace(1), which writes to file.
func underStrace(t *testing.T, file, program string) *exec.Cmd {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Fatalf("%v: run `make deps`", err)
	}
	// The filter lets all other calls pass at full speed; -yy tells the path of a descriptor, and the process of a pidfd.
	return exec.Command(strace, "-f", "--seccomp-bpf", "-yy", "-e", "signal=none", "-e", "trace="+tracedCalls, "-o", file, program)
}

// call is one line of strace.
type call struct {
	pid               string
	name, args, value string
}

var (
	callLine    = regexp.MustCompile(`^(\d+) +(\w+)\((.*)\) += (.*)$`)
	resumedLine = regexp.MustCompile(`^(\d+) +<\.{3} \w+ resumed>(.*)$`)
	// endLine tells how a process or a thread has ended.
	endLine = regexp.MustCompile(`^(\d+) +\+{3} (.*) \+{3}$`)
	// place is a path in the arguments, and the directory before it that it is relative to.
	place      = regexp.MustCompile(`(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"`)
	descriptor = regexp.MustCompile(`^\d+<([^>]*)>`)
)

const unfinished = " <unfinished ...>"

// readTrace returns all calls, and how each process and thread has ended.
func readTrace(t *testing.T, file string) (calls []call, ends map[string]string) {
	t.Helper()
	trace, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	begun, ends := map[string]string{}, map[string]string{}
	lines := bufio.NewScanner(trace)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if beginning, cut := strings.CutSuffix(line, unfinished); cut {
			pid, _, _ := strings.Cut(line, " ")
			begun[pid] = beginning
			continue
		}
		if m := resumedLine.FindStringSubmatch(line); m != nil {
			line = begun[m[1]] + m[2]
		}
		if m := callLine.FindStringSubmatch(line); m != nil {
			calls = append(calls, call{m[1], m[2], m[3], m[4]})
		} else if m := endLine.FindStringSubmatch(line); m != nil {
			ends[m[1]] = m[2]
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return calls, ends
}

// paths are the files that the call is about: those that its arguments name, and that of its descriptor.
func (c call) paths() (paths []string) {
	for _, m := range place.FindAllStringSubmatch(c.args, -1) {
		if path.IsAbs(m[2]) {
			paths = append(paths, path.Clean(m[2]))
		} else {
			paths = append(paths, path.Join(m[1], m[2]))
		}
	}
	if c.opens() { // whatever it was called, as by way of /proc/self/fd
		if m := descriptor.FindStringSubmatch(c.value); m != nil {
			return []string{m[1]}
		}
	}
	if m := descriptor.FindStringSubmatch(c.args); m != nil && len(paths) == 0 {
		paths = []string{m[1]}
	}
	return paths
}

func (c call) opens() bool { return strings.HasPrefix(c.name, "open") }

func (c call) creates() bool { return c.opens() && strings.Contains(c.args, "O_CREAT") }

func (c call) failed() bool { return strings.HasPrefix(c.value, "-1 ") }

// does says in a word what a call does to its file.
func (c call) does() string {
	switch {
	case c.creates():
		return "created"
	case c.opens() && strings.Contains(c.args, "O_RDONLY"):
		return "opened for reading"
	case c.opens():
		return "opened for writing"
	case strings.HasPrefix(c.name, "rename"):
		return "renamed"
	case strings.HasPrefix(c.name, "unlink"):
		return "removed"
	}
	return c.name
}

// signals tells whether the call sends a signal.
func (c call) signals() bool {
	return strings.Contains(c.name, "kill") || strings.Contains(c.name, "sig")
}
