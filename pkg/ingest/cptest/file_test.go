//go:build linux

package cptest_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cptest"
)

func TestVerifyTellsAWholeFileFromADamagedOne(t *testing.T) {
	const rows = 200
	path := filepath.Join(t.TempDir(), "cptest.csv")
	content, err := cptest.Describe(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	verify := func(what string, want bool) {
		t.Helper()
		if got, err := cptest.Verify(path, content); got != want || err != nil {
			t.Errorf("%s: whole %v (%v), want %v", what, got, err, want)
		}
	}
	verify("missing", false)
	if err := cptest.Save(t.Context(), path, rows); err != nil {
		t.Fatal(err)
	}
	verify("saved", true)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put := func(text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(text[:len(text)-1])
	verify("cut short", false)
	text[len(text)/2] ^= 1
	put(text)
	verify("with one bit changed", false)
	if err := cptest.Save(t.Context(), path, rows); err != nil {
		t.Fatal(err)
	}
	verify("saved again", true)
}

func TestVerifyTellsWhatItCannotRead(t *testing.T) {
	if _, err := cptest.Verify(t.TempDir()+"/file/below", cptest.Content{}); err != nil {
		t.Errorf("a missing directory: %v", err)
	}
	if _, err := cptest.Verify("/proc/self/mem/x", cptest.Content{}); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("a file for a directory: %v, want ENOTDIR", err)
	}
	if whole, err := cptest.Verify(t.TempDir(), cptest.Content{}); whole || err != nil {
		t.Errorf("a directory: whole %v (%v)", whole, err)
	}
}

func TestSaveOnAFullDiskLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1M"); err != nil {
		t.Fatalf("mount a tmpfs: %v: run this test as root", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	if err := cptest.Save(t.Context(), filepath.Join(dir, "cptest.csv"), 10_000); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want ENOSPC", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left: %v (%v)", entries, err)
	}
}
