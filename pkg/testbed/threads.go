//go:build linux

package testbed

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"
)

// Threads returns the ids of a process's threads. One may have ended since.
func Threads(t testing.TB, pid int) (ids []int) {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(filepath.Base(thread))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}
