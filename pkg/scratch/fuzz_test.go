package scratch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// FuzzLeftovers puts a file of any name into the directory: what is taken for a leftover is by its name this host's
// temporary file, and never the probe file.
func FuzzLeftovers(f *testing.F) {
	const own = ".columnstore_exporter-" + host + "."
	for _, name := range []string{own + "1.2.commit", own + "probe", own + "4194304.1.probefile", own + "-1.2.x", own + "1.2.3", ".columnstore_exporter-" + host + "2.1.2.commit", "000.dir"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		directory := t.TempDir()
		if strings.Contains(name, "/") || os.WriteFile(filepath.Join(directory, name), nil, 0o600) != nil {
			return // no name of a file
		}
		d := open(t, directory)
		found, _, err := d.Leftovers(time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		for _, leftover := range found {
			if leftover != name || leftover == d.ProbeName() || !strings.HasPrefix(leftover, own) || strings.Count(strings.TrimPrefix(leftover, own), ".") != 2 {
				t.Errorf("%q is taken for a leftover", leftover)
			}
		}
	})
}
