package ingest

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cpimport"
)

const ownLog = "/var/log/mariadb/columnstore/cpimport/Job_1057010570.log"

// recalled is what a state file of that text makes an exporter remember.
func recalled(t *testing.T, d directory, text string) (memory, error) {
	t.Helper()
	if err := os.WriteFile(d.path(memoryName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return d.recall()
}

func TestAStateFileCannotHaveOthersFilesRemoved(t *testing.T) {
	m, err := recalled(t, directory(t.TempDir()), `{"prune":["/etc/passwd","`+ownLog+`","Job_1057010570.log"]}`)
	if diff := cmp.Diff([]string{ownLog}, m.Prune); diff != "" || err != nil {
		t.Errorf("to be removed (-want +got):\n%s, error %v", diff, err)
	}
}

// FuzzState reads arbitrary state files: what is taken from one survives being written and read, and has nobody else's
// file removed.
func FuzzState(f *testing.F) {
	f.Add(`{"last_trial":"2026-11-30T14:26:07Z","import":{"pid":1,"ticks":7,"boot":"b"},"prune":["` + ownLog + `"]}`)
	f.Add(`{"last_trial":"0001-01-01T00:00:00+23:59"}`)
	f.Add(`{"prune":["/etc/passwd"]}`)
	f.Add(`{"last_`)
	f.Add(`null`)
	d := directory(f.TempDir())
	f.Fuzz(func(t *testing.T, text string) {
		m, err := recalled(t, d, text)
		if err != nil {
			if diff := cmp.Diff(memory{}, m); diff != "" {
				t.Errorf("with the error %v: %s", err, diff)
			}
			return
		}
		for _, path := range m.Prune {
			if !cpimport.OwnFile(path) {
				t.Errorf("%q is to be removed", path)
			}
		}
		if m.Import != nil {
			m.Import.Alive()
		}
		if err := d.remember(m); err != nil {
			t.Fatalf("%+v cannot be remembered: %v", m, err)
		}
		again, err := d.recall()
		if diff := cmp.Diff(m, again, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("remembered (-want +got):\n%s, error %v", diff, err)
		}
	})
}
