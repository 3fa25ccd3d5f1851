//go:build linux

package ingest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
)

func TestCountBulkRollbackEntries(t *testing.T) {
	dir := t.TempDir()
	if n, err := ingest.CountBulkRollbackEntries(dir); n != 0 || err != nil {
		t.Errorf("an empty directory has %d entries (%v)", n, err)
	}
	for _, name := range []string{"3000_data", "4001_data"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"3000", "3000.tmp", "5002", ".columnstore_exporter-host.read", "_data", "x_data", "12a", "3000_data/3001.p0.s0"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := ingest.CountBulkRollbackEntries(dir); n != 3 || err != nil {
		t.Errorf("%d entries (%v), want the tables 3000, 4001 and 5002", n, err)
	}
}

func TestAnAbsentBulkRollbackHasNoEntries(t *testing.T) {
	if n, err := ingest.CountBulkRollbackEntries(filepath.Join(t.TempDir(), "bulkRollback")); n != 0 || err != nil {
		t.Errorf("%d entries (%v), want none", n, err)
	}
}

func TestABulkRollbackThatIsNoDirectoryIsAnError(t *testing.T) {
	if n, err := ingest.CountBulkRollbackEntries("/proc/self/status"); err == nil {
		t.Errorf("%d entries", n)
	}
}
