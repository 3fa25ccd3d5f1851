//go:build linux

package testbed

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// Document writes a Markdown file that tells what a command has seen: under the title the command, the time, the commit and
// the machine, and then the body.
func Document(t testing.TB, file, title, command, body string) {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\nWritten by `%s`, not by hand.\n\n| | |\n|---|---|\n", title, command)
	fmt.Fprintf(&b, "| time | %s |\n| commit | %s |\n| machine | %s |\n\n", time.Now().UTC().Format("2006-01-02 15:04 UTC"), Commit(t), Machine(t))
	b.WriteString(strings.TrimSpace(body) + "\n")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	// Whatever the umask: the file is the project's.
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Commit returns what is checked out, and whether it was changed since. Documents do not count.
func Commit(t testing.TB) string {
	t.Helper()
	revision := strings.TrimSpace(Must(t, command(t, "git", "rev-parse", "--short=12", "HEAD")))
	if changes := Must(t, command(t, "git", "status", "--porcelain", "--untracked-files=no", "--", ":/", ":!/docs")); changes != "" {
		return revision + ", changed since"
	}
	return revision
}

// Machine returns the processors, the memory and the kernel. Not every processor has a name.
func Machine(t testing.TB) string {
	t.Helper()
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		t.Fatal(err)
	}
	processors, err := proc.CPUInfo()
	if err != nil {
		t.Fatal(err)
	}
	memory, err := proc.Meminfo()
	if err != nil {
		t.Fatal(err)
	}
	var system unix.Utsname
	if err := unix.Uname(&system); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d × %s, %d MiB, Linux %s", len(processors), cmp.Or(processors[0].ModelName, "processor"), *memory.MemTotalBytes>>20, unix.ByteSliceToString(system.Release[:]))
}
