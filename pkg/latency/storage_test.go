package latency_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
)

// onFUSE returns a directory on a FUSE file system.
func onFUSE(options faultfs.Options) func(t *testing.T) string {
	return func(t *testing.T) string { return faultfs.Mount(t, options).Path() }
}

// TestProof runs on storage of many kinds. The ratio is exact but for what the kernel pages in for the program.
func TestProof(t *testing.T) {
	reached, cached := [2]float64{1, 1.5}, [2]float64{0, 0.5}
	for name, test := range map[string]struct {
		directory func(t *testing.T) string
		buffered  bool
		io        string
		ratio     *[2]float64 // lowest and highest; nil for none
	}{
		"the disk":             {func(t *testing.T) string { return t.TempDir() }, false, "direct", &reached},
		"the disk, buffered":   {func(t *testing.T) string { return t.TempDir() }, true, "buffered", &reached},
		"ext4":                 {onLoop("ext4"), false, "direct", &reached},
		"ext4, buffered":       {onLoop("ext4"), true, "buffered", &reached},
		"xfs":                  {onLoop("xfs"), false, "direct", &reached},
		"xfs, buffered":        {onLoop("xfs"), true, "buffered", &reached},
		"tmpfs":                {inMemory, false, "direct", &cached},
		"tmpfs, buffered":      {inMemory, true, "buffered", &cached},
		"fuse":                 {onFUSE(faultfs.Options{}), false, "direct", nil},
		"fuse, buffered":       {onFUSE(faultfs.Options{}), true, "buffered", nil},
		"fuse, FOPEN_DIRECTIO": {onFUSE(faultfs.Options{DirectIO: true}), false, "direct", nil},
		"fuse, refusing":       {onFUSE(faultfs.Options{RefuseDirect: true}), false, "buffered", nil},
		"fuse, caching names":  {onFUSE(faultfs.Options{CacheAttributes: true}), false, "direct", nil},
	} {
		t.Run(name, func(t *testing.T) {
			directory := test.directory(t)
			s := spec(directory)
			s.Count, s.Buffered = 101, test.buffered
			var p latency.Prober
			for range 2 { // the second run reads an old file
				result, r := runWith(t, &p, s)
				measured(t, result, r)
				if result.IO != test.io {
					t.Errorf("io %s instead of %s", result.IO, test.io)
				}
				checkRatio(t, result.DeviceRatio, test.ratio)
			}
			onlyProbe(t, directory)
		})
	}
}

// TestProofIsOfTheRequestsAlone has the reading thread fetch something else after each of them, as it does when a part of
// its own program is paged in.
func TestProofIsOfTheRequestsAlone(t *testing.T) {
	for name, test := range map[string]struct {
		directory string
		ratio     [2]float64
	}{
		"storage": {t.TempDir(), [2]float64{1, 1.5}},
		"memory":  {inMemory(t), [2]float64{0, 0.5}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{onSample: pagingIn(t)}
			var p latency.Prober
			result := p.Run(t.Context(), spec(test.directory), r)
			measured(t, result, r)
			checkRatio(t, result.DeviceRatio, &test.ratio)
		})
	}
}

// pagingIn returns a function that reads a page of a file on the disk, which is in no cache.
func pagingIn(t *testing.T) func() {
	t.Helper()
	page := make([]byte, 4096)
	name := filepath.Join(t.TempDir(), "page")
	if err := os.WriteFile(name, page, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
			t.Error(err)
		}
		if _, err := f.ReadAt(page, 0); err != nil {
			t.Error(err)
		}
	}
}

func checkRatio(t *testing.T, got *float64, want *[2]float64) {
	t.Helper()
	switch {
	case got == nil && want == nil:
	case got == nil || want == nil:
		t.Errorf("ratio %v, want %v", got, want)
	case *got < want[0] || *got > want[1]:
		t.Errorf("ratio %v is not within %v", *got, *want)
	}
}

// TestBufferedReadsReachTheServer counts on the server's side what FUSE does not account.
func TestBufferedReadsReachTheServer(t *testing.T) {
	f := faultfs.Mount(t, faultfs.Options{})
	s := spec(f.Path())
	s.Buffered = true
	result, r := run(t, s)
	measured(t, result, r)
	before := f.Count(faultfs.Read)
	result, r = run(t, s)
	measured(t, result, r)
	// One is the test read of the set-up.
	if got, want := f.Count(faultfs.Read)-before, len(r.samples(latency.Read))+1; got != want {
		t.Errorf("%d reads reached the server of %d", got, want)
	}
}

// TestInjectedLatency asks for the median to be in the bucket of the histogram that the injected latency is in, or in
// the one above: the server of the storage takes its time too. Others may use the machine, which never makes a read
// faster: so of many short runs the best one counts.
func TestInjectedLatency(t *testing.T) {
	for _, test := range []struct{ delay, bucket, interval time.Duration }{
		{700 * time.Microsecond, time.Millisecond, 2 * time.Millisecond},
		{3300 * time.Microsecond, 4 * time.Millisecond, 5 * time.Millisecond},
	} {
		t.Run(test.delay.String(), func(t *testing.T) {
			onOneProcessor(t)
			s := spec(faultfs.Serve(t, faultfs.Read, test.delay))
			s.Count, s.Commits, s.Interval = 12, 0, test.interval
			best := time.Hour
			for attempt := 0; attempt < 200 && best > test.bucket; attempt++ {
				result, r := run(t, s)
				measured(t, result, r)
				best = min(best, median(r))
				if fastest := time.Duration(result.Read.Min * float64(time.Second)).Round(time.Microsecond); fastest < test.delay {
					t.Fatalf("a read of storage that takes %v took %v", test.delay, fastest)
				}
			}
			if best > test.bucket {
				t.Errorf("the best median is %v", best)
			}
		})
	}
}
