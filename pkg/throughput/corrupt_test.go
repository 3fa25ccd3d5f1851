package throughput_test

import (
	"os"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// What befalls a file between write and read is found: damage, and blocks that are not the ones written there last.
func TestCorruptionIsFound(t *testing.T) {
	const size = 64 << 10
	cases := map[string]func(t *testing.T, f *os.File){
		"a flipped bit": func(t *testing.T, f *os.File) {
			b := readAt(t, f, 3*size+1000, 1)
			writeAt(t, f, 3*size+1000, []byte{b[0] ^ 0x10})
		},
		"a page of zeros":       func(t *testing.T, f *os.File) { writeAt(t, f, 3*size+8192, make([]byte, 4096)) },
		"a checksum of its own": func(t *testing.T, f *os.File) { writeAt(t, f, 3*size+16, []byte{1, 2, 3, 4}) },
		"a block out of place":  func(t *testing.T, f *os.File) { writeAt(t, f, 3*size, readAt(t, f, 5*size, size)) },
	}
	for name, harm := range cases {
		for _, kind := range []throughput.Test{throughput.ReadTest, throughput.SkipRead} {
			t.Run(name+"/"+string(kind), func(t *testing.T) {
				spec := small(t.TempDir(), kind)
				spec.Threads, spec.Duration = 1, forever
				var path string
				outcome := throughput.Run(t.Context(), spec, when(kind, func() { path = damage(t, spec.Directory, harm) }))
				if len(outcome.Tests) != 1 {
					t.Fatalf("Run() = %+v", outcome)
				}
				r := outcome.Tests[0]
				if r.Failure != reason.Corrupt || !mentions(r.Error, path, " at 196608: ") {
					t.Errorf("Run() = %+v, want %s corrupt at %d", r, path, 3*size)
				}
				wantClean(t, spec.Directory)
			})
		}
	}
}

// A lost write leaves a block that is sound but old.
func TestOldBlockIsFound(t *testing.T) {
	const size = 64 << 10
	spec := small(t.TempDir(), throughput.Overwrite, throughput.ReadTest)
	spec.Threads, spec.Duration = 1, 2*time.Second
	var old []byte
	outcome := throughput.Run(t.Context(), spec, onProgress{do: map[throughput.Test]func(){
		throughput.Overwrite: func() {
			damage(t, spec.Directory, func(t *testing.T, f *os.File) { old = readAt(t, f, 2*size, size) })
		},
		throughput.ReadTest: func() {
			damage(t, spec.Directory, func(t *testing.T, f *os.File) { writeAt(t, f, 2*size, old) })
		},
	}})
	if r := outcome.Tests[len(outcome.Tests)-1]; r.Test != throughput.ReadTest || r.Failure != reason.Corrupt || !mentions(r.Error, "stamped") {
		t.Errorf("Run() = %+v, want the old block found", outcome)
	}
}

// Without checksums nobody looks.
func TestCorruptionWithoutCRC(t *testing.T) {
	spec := small(t.TempDir(), throughput.ReadTest)
	spec.CRC, spec.Duration = false, time.Second
	harmed := false
	outcome := throughput.Run(t.Context(), spec, when(throughput.ReadTest, func() {
		damage(t, spec.Directory, func(t *testing.T, f *os.File) { writeAt(t, f, 0, make([]byte, 1<<16)) })
		harmed = true
	}))
	if !harmed || outcome.Tests[0].Failure != "" {
		t.Errorf("Run() = %+v after harm %v", outcome, harmed)
	}
}

// damage does something to the first file of a run, which reads past the page cache, and returns its path.
func damage(t *testing.T, directory string, harm func(t *testing.T, f *os.File)) string {
	t.Helper()
	paths := files(t, directory)
	if len(paths) == 0 {
		t.Error("there are no files")
		return ""
	}
	f, err := os.OpenFile(paths[0], os.O_RDWR, 0)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer f.Close()
	harm(t, f)
	if err := f.Sync(); err != nil {
		t.Error(err)
	}
	return paths[0]
}

func readAt(t *testing.T, f *os.File, offset int64, n int) []byte {
	t.Helper()
	b := make([]byte, n)
	if _, err := f.ReadAt(b, offset); err != nil {
		t.Error(err)
	}
	return b
}

func writeAt(t *testing.T, f *os.File, offset int64, b []byte) {
	t.Helper()
	if _, err := f.WriteAt(b, offset); err != nil {
		t.Error(err)
	}
}
