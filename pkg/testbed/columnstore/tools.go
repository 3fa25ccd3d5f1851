//go:build linux

package columnstore

import (
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/transcript"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// User returns the user that the engine runs as.
func User(t testing.TB) *syscall.Credential {
	t.Helper()
	mysql, err := user.Lookup("mysql")
	if err != nil {
		t.Fatal(err)
	}
	uid, err := strconv.ParseUint(mysql.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.ParseUint(mysql.Gid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// Command returns a program of the engine, to be run as its user in a directory of that user's.
func Command(t testing.TB, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: User(t)}
	return cmd
}

// Tool runs a program of the engine and returns what it prints.
func Tool(t testing.TB, name string, args ...string) string {
	t.Helper()
	return testbed.Must(t, Command(t, "/", name, args...))
}

// Locks returns all table locks.
func Locks(t testing.TB) []transcript.Lock {
	t.Helper()
	locks, err := transcript.ParseLocks(Tool(t, "viewtablelock"))
	if err != nil {
		t.Fatal(err)
	}
	return locks
}

// Entries returns how many tables have an entry in bulkRollback.
func Entries(t testing.TB) int {
	t.Helper()
	n, err := ingest.CountBulkRollbackEntries(BulkRollback)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Processes returns the engine's processes of that name, at least one.
func Processes(t testing.TB, name string) (pids []int) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "pgrep", "-u", "mysql", "-x", name).Output()
	if err != nil {
		t.Fatalf("find %s: %v", name, err)
	}
	for word := range strings.FieldsSeq(string(output)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// Signal sends a signal to the engine's processes of that name.
func Signal(t testing.TB, name string, signal syscall.Signal) {
	t.Helper()
	for _, pid := range Processes(t, name) {
		if err := syscall.Kill(pid, signal); err != nil {
			t.Fatalf("signal %s: %v", name, err)
		}
	}
}
