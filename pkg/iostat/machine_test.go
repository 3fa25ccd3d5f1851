package iostat_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/iostat"
)

// machine is a /proc and a /sys of the test's own.
type machine struct {
	t    testing.TB
	root string
}

func newMachine(t testing.TB) machine {
	t.Helper()
	m := machine{t: t, root: t.TempDir()}
	m.write("proc/7/mountstats", "")
	m.write("proc/diskstats", "")
	m.write("sys/class/block/README", "")
	m.link("7", "proc/self")
	return m
}

func (m machine) write(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

func (m machine) link(target, name string) {
	m.t.Helper()
	if err := os.Symlink(target, filepath.Join(m.root, name)); err != nil {
		m.t.Fatal(err)
	}
}

// diskstats sets the counters: lines of a name and the numbers after it.
func (m machine) diskstats(lines ...string) {
	m.t.Helper()
	var text strings.Builder
	for _, line := range lines {
		text.WriteString("   8       1 " + line + "\n")
	}
	m.write("proc/diskstats", text.String())
}

// mountstats sets the counters of NFS to a recording.
func (m machine) mountstats(recording string) {
	m.t.Helper()
	m.write("proc/7/mountstats", m.read(recording))
}

func (m machine) read(recording string) string {
	m.t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", recording))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(text)
}

func (m machine) fs() iostat.FS {
	m.t.Helper()
	fs, err := iostat.New(filepath.Join(m.root, "proc"), filepath.Join(m.root, "sys"))
	if err != nil {
		m.t.Fatal(err)
	}
	return fs
}

func (m machine) begin(source iostat.Source) iostat.Window {
	m.t.Helper()
	w, err := m.fs().Begin(source)
	if err != nil {
		m.t.Fatal(err)
	}
	return w
}
