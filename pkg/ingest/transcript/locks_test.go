package transcript_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/transcript"
)

func TestParseLocks(t *testing.T) {
	lock := transcript.Lock{Table: "test.cptest", ID: 20, Process: "cpimport.bin (pm1)", PID: 19748, State: "LOADING"}
	left, unnamed := lock, lock
	left.ID, left.PID, unnamed.Table = 27, 20277, ""
	for name, test := range map[string]struct {
		text string
		want []transcript.Lock
	}{
		"no lock":                      {read(t, "viewtablelock-none", "stdout"), nil},
		"one lock":                     {read(t, "viewtablelock-one", "stdout"), []transcript.Lock{lock}},
		"the lock of one table":        {read(t, "viewtablelock-table", "stdout"), []transcript.Lock{lock}},
		"left by a killed import":      {read(t, "sigkill", "viewtablelock-after"), []transcript.Lock{left}},
		"from SQL, shown by a client":  {read(t, "viewtablelock-one", "sql-calviewtablelock"), []transcript.Lock{unnamed}},
		"from SQL, of an unlocked one": {" Table foo.t1 is not locked by any process. ", nil},
	} {
		t.Run(name, func(t *testing.T) {
			locks, err := transcript.ParseLocks(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, locks); diff != "" {
				t.Errorf("locks (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzParseLocks holds that no text makes a lock out of nothing.
func FuzzParseLocks(f *testing.F) {
	for _, recording := range []string{"viewtablelock-none", "viewtablelock-one", "viewtablelock-engine-down"} {
		text, err := os.ReadFile(filepath.Join(recordings, recording, "stdout"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		locks, err := transcript.ParseLocks(text)
		if err != nil && len(locks) > 0 {
			t.Errorf("%d locks with the error %v", len(locks), err)
		}
		if len(locks) > strings.Count(text, "\n")+strings.Count(text, `\n`)+1 {
			t.Errorf("%d locks in %q", len(locks), text)
		}
	})
}

func TestParseLocksTellsWhatItCannotRead(t *testing.T) {
	for _, text := range []string{
		"",
		read(t, "viewtablelock-engine-down", "stderr"),
		"MCS-2006: 'a.b' does not exist in Columnstore.",
		"LockID  Process  PID\n x  cpimport  12",
		"LockID  Process  PID\n 7  cpimport  twelve",
	} {
		if locks, err := transcript.ParseLocks(text); err == nil {
			t.Errorf("%q gave %v, want an error", text, locks)
		}
	}
}
