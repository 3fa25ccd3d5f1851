package latency_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

const (
	host      = "pm1"
	probeName = ".columnstore_exporter-pm1.probe"
)

// spec is a run of ten counted reads and three commits that takes some 30 ms.
func spec(directory string) latency.Spec {
	return latency.Spec{
		Directory:   directory,
		Host:        host,
		Count:       11,
		Commits:     3,
		Interval:    2 * time.Millisecond,
		RequestSize: 4096,
		WorkingSet:  1 << 20,
	}
}

// unhurried is a run none of whose requests is left out because others use the machine too, except after a stall.
func unhurried(directory string) latency.Spec {
	s := spec(directory)
	s.Count, s.Commits, s.Interval = 4, 2, 100*time.Millisecond
	return s
}

// event is what an observer was told: an operation or a sample.
type event struct {
	operation string
	at        latency.Instant
	sample    *latency.Sample
}

// recorder remembers everything. It is read when the run is over.
type recorder struct {
	events []event
	// onSample is called after each sample, if there is one.
	onSample func()
}

func (r *recorder) Operation(name string, at latency.Instant) {
	r.events = append(r.events, event{operation: name, at: at})
}

func (r *recorder) Sample(s latency.Sample) {
	r.events = append(r.events, event{sample: &s})
	if r.onSample != nil {
		r.onSample()
	}
}

// samples returns the samples of one kind.
func (r *recorder) samples(op latency.Op) (samples []latency.Sample) {
	for _, e := range r.events {
		if e.sample != nil && e.sample.Op == op {
			samples = append(samples, *e.sample)
		}
	}
	return samples
}

// reasons returns the reasons of the samples of one kind, each once.
func (r *recorder) reasons(op latency.Op) (reasons []reason.Reason) {
	for _, s := range r.samples(op) {
		reasons = append(reasons, s.Reason)
	}
	slices.Sort(reasons)
	return slices.Compact(reasons)
}

// run does one run with a new prober.
func run(t *testing.T, s latency.Spec) (latency.Result, *recorder) {
	t.Helper()
	return runWith(t, new(latency.Prober), s)
}

func runWith(t *testing.T, p *latency.Prober, s latency.Spec) (latency.Result, *recorder) {
	t.Helper()
	r := new(recorder)
	return p.Run(t.Context(), s, r), r
}

// measured fails the test unless the run measured without any failure.
func measured(t *testing.T, result latency.Result, r *recorder) {
	t.Helper()
	if result.Error != "" || result.Skip != "" || result.ReadFailure != "" || result.CommitFailure != "" {
		t.Fatalf("the run failed: %+v", result)
	}
	for _, op := range []latency.Op{latency.Read, latency.Commit} {
		if reasons := r.reasons(op); len(reasons) > 1 || len(reasons) == 1 && reasons[0] != "" {
			t.Fatalf("%ss failed: %q", op, reasons)
		}
	}
}

// onlyProbe fails the test unless the probe file is all that there is in the directory.
func onlyProbe(t *testing.T, directory string) {
	t.Helper()
	files(t, directory, probeName)
}

func files(t *testing.T, directory string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, append([]string{}, want...)) {
		t.Errorf("files %q instead of %q", got, want)
	}
}

// command runs a tool that the tests need.
func command(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), name, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s (run `make deps`, and the tests as root): %v\n%s", name, strings.Join(arguments, " "), err, output)
	}
	return string(output)
}

// onLoop returns a directory on a file system of its own.
func onLoop(fsType string) func(t *testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		directory := filepath.Join(testbed.Loop(t, fsType, 320<<20), "data1")
		if err := os.Mkdir(directory, 0o755); err != nil {
			t.Fatal(err)
		}
		return directory
	}
}

// inMemory mounts a tmpfs. Nothing may keep it busy in the end.
func inMemory(t *testing.T) string {
	t.Helper()
	mountpoint := t.TempDir()
	command(t, "mount", "-t", "tmpfs", "-o", "size=10m", "tmpfs", mountpoint)
	t.Cleanup(func() {
		if output, err := exec.Command("umount", mountpoint).CombinedOutput(); err != nil {
			t.Errorf("unmount %s: %v\n%s", mountpoint, err, output)
		}
	})
	return mountpoint
}
