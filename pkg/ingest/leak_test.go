//go:build linux && mariadb

package ingest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"go.uber.org/zap"
)

func zapOutput(text string) zap.Field { return zap.String("output", text) }

// inventory is what a trial might leave behind.
type inventory struct{ descriptors, goroutines, threads, files int }

func (b *bed) inventory(t *testing.T) (i inventory) {
	t.Helper()
	i.descriptors, i.threads = entries(t, "/proc/self/fd"), entries(t, "/proc/self/task")
	i.goroutines = runtime.NumGoroutine()
	err := filepath.WalkDir(b.o.StateDir, func(string, fs.DirEntry, error) error { i.files++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func entries(t *testing.T, dir string) int {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

func (i inventory) beyond(other inventory, threads int) bool {
	return i.descriptors > other.descriptors || i.goroutines > other.goroutines || i.threads > other.threads+threads || i.files > other.files
}

func TestLeaks(t *testing.T) {
	b := newBed(t)
	b.o.Rows = 5
	b.standin(t, b.good())
	r := b.runner(t)
	for range 10 { // what is made once
		b.succeed(t, r)
	}
	before := b.inventory(t)
	for range 200 {
		b.succeed(t, r)
	}
	// Goroutines of closed connections end a moment later; idle threads of the runtime come and go.
	after := b.inventory(t)
	for deadline := time.Now().Add(10 * time.Second); after.beyond(before, 4) && time.Now().Before(deadline); after = b.inventory(t) {
		runtime.Gosched()
	}
	if after.beyond(before, 4) {
		t.Errorf("after 200 trials %+v, before %+v", after, before)
	}
}
