package latency_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
)

// median returns the median latency of the counted reads.
func median(r *recorder) time.Duration {
	var latencies []time.Duration
	for _, s := range r.samples(latency.Read) {
		if !s.WarmUp {
			latencies = append(latencies, s.Latency)
		}
	}
	slices.Sort(latencies)
	return latencies[len(latencies)/2]
}

// outcome is what a run with a fault looks like.
type outcome struct {
	ReadFailure, CommitFailure reason.Reason
	// Reads and Commits are the reasons of the samples, each once; empty for success.
	Reads, Commits []reason.Reason
}

func outcomeOf(result latency.Result, r *recorder) outcome {
	return outcome{result.ReadFailure, result.CommitFailure, r.reasons(latency.Read), r.reasons(latency.Commit)}
}

// TestFailures sets a fault under a directory that has been measured, and takes it away again.
func TestFailures(t *testing.T) {
	good := []reason.Reason{""}
	for name, test := range map[string]struct {
		op    faultfs.Operation
		fault faultfs.Fault
		want  outcome
	}{
		"read eio":      {faultfs.Read, faultfs.Fault{Errno: unix.EIO}, outcome{Reads: []reason.Reason{"eio"}, Commits: good}},
		"read estale":   {faultfs.Read, faultfs.Fault{Errno: unix.ESTALE}, outcome{Reads: []reason.Reason{"estale"}, Commits: good}},
		"open estale":   {faultfs.Open, faultfs.Fault{Errno: unix.ESTALE}, outcome{ReadFailure: "estale", Commits: good}},
		"open emfile":   {faultfs.Open, faultfs.Fault{Errno: unix.EMFILE}, outcome{ReadFailure: "emfile", Commits: good}},
		"lookup eacces": {faultfs.Lookup, faultfs.Fault{Errno: unix.EACCES}, outcome{ReadFailure: "eacces", Commits: []reason.Reason{"eacces"}}},
		"list eio":      {faultfs.Readdir, faultfs.Fault{Errno: unix.EIO}, outcome{ReadFailure: "eio", CommitFailure: "eio"}},
		"create enospc": {faultfs.Create, faultfs.Fault{Errno: unix.ENOSPC}, outcome{Reads: good, Commits: []reason.Reason{"enospc"}}},
		"create erofs":  {faultfs.Create, faultfs.Fault{Errno: unix.EROFS}, outcome{Reads: good, Commits: []reason.Reason{"erofs"}}},
		"write edquot":  {faultfs.Write, faultfs.Fault{Errno: unix.EDQUOT}, outcome{Reads: good, Commits: []reason.Reason{"edquot"}}},
		"fsync eio":     {faultfs.Fsync, faultfs.Fault{Errno: unix.EIO}, outcome{Reads: good, Commits: []reason.Reason{"eio"}}},
		"rename eperm":  {faultfs.Rename, faultfs.Fault{Errno: unix.EPERM}, outcome{Reads: good, Commits: []reason.Reason{"eperm"}}},
		"read short":    {faultfs.Read, faultfs.Fault{Short: true}, outcome{Reads: []reason.Reason{"short"}, Commits: good}},
		"read corrupt":  {faultfs.Read, faultfs.Fault{Flip: true}, outcome{Reads: []reason.Reason{"corrupt"}, Commits: good}},
	} {
		t.Run(name, func(t *testing.T) {
			// With a page cache the kernel asks again for what a short read leaves out, and may find it.
			f := faultfs.Mount(t, faultfs.Options{DirectIO: true})
			var p latency.Prober
			s := unhurried(f.Path())
			s.Interval = 20 * time.Millisecond
			result, r := runWith(t, &p, s)
			measured(t, result, r)

			f.Set(test.op, test.fault)
			result, r = runWith(t, &p, s)
			if diff := cmp.Diff(test.want, outcomeOf(result, r)); diff != "" {
				t.Errorf("with the fault (-want +got):\n%s\n%s", diff, result.Error)
			}
			if result.Error == "" {
				t.Error("nothing is said of the failure")
			}
			if !slices.Equal(test.want.Reads, good) && result.Read.Count != 0 {
				t.Errorf("%d failed reads were counted", result.Read.Count)
			}

			f.Clear()
			result, r = runWith(t, &p, s)
			measured(t, result, r)
			onlyProbe(t, f.Backing())
		})
	}
}

// TestFailuresOfTheFirstRun sets a fault before there is a probe file.
func TestFailuresOfTheFirstRun(t *testing.T) {
	for op, errno := range map[faultfs.Operation]syscall.Errno{
		faultfs.Create: unix.EROFS,
		faultfs.Write:  unix.ENOSPC,
		faultfs.Fsync:  unix.EIO,
		faultfs.Rename: unix.EACCES,
		faultfs.Statfs: unix.EIO,
	} {
		t.Run(string(op), func(t *testing.T) {
			f := faultfs.Mount(t, faultfs.Options{})
			f.Set(op, faultfs.Fault{Errno: errno})
			s := unhurried(f.Path())
			s.Interval = 20 * time.Millisecond
			result, r := run(t, s)
			if want := reason.Of(errno); result.ReadFailure != want || len(r.samples(latency.Read)) != 0 {
				t.Errorf("got %+v", result)
			}
			if len(r.samples(latency.Commit)) == 0 {
				t.Error("no commit was tried")
			}
			files(t, f.Backing())
		})
	}
}

// TestHangAndRecovery holds a request, then lets it go.
func TestHangAndRecovery(t *testing.T) {
	for _, op := range []faultfs.Operation{faultfs.Lookup, faultfs.Open, faultfs.Read, faultfs.Create, faultfs.Fsync, faultfs.Rename, faultfs.Unlink} {
		t.Run(string(op), func(t *testing.T) {
			f := faultfs.Mount(t, faultfs.Options{})
			var p latency.Prober
			s := unhurried(f.Path())
			s.Interval = 20 * time.Millisecond
			result, r := runWith(t, &p, s)
			measured(t, result, r)

			held := f.Hang(op)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan latency.Result)
			go func() { done <- p.Run(ctx, s, silent{}) }()
			<-held
			cancel() // does not help: the call is in the kernel
			select {
			case result := <-done:
				t.Errorf("the run ended while its request hung: %+v", result)
			default:
			}
			f.Clear()
			<-done
			result, r = runWith(t, &p, s)
			measured(t, result, r)
			onlyProbe(t, f.Backing())
		})
	}
}

// TestFilesThatCannotBeRemoved must not pile up.
func TestFilesThatCannotBeRemoved(t *testing.T) {
	f := faultfs.Mount(t, faultfs.Options{})
	var p latency.Prober
	f.Set(faultfs.Unlink, faultfs.Fault{Errno: unix.EIO})
	for i := range 3 {
		result, r := runWith(t, &p, unhurried(f.Path()))
		if i > 0 && result.CommitFailure != reason.EIO {
			t.Errorf("run %d: %+v", i, result)
		}
		if n := result.Read.Count; n == 0 {
			t.Errorf("run %d: no reads: %s", i, result.Error)
		}
		if n := len(r.samples(latency.Commit)); i > 0 && n != 0 {
			t.Errorf("run %d: %d commits", i, n)
		}
	}
	if entries, err := os.ReadDir(f.Backing()); err != nil || len(entries) != 2 {
		t.Errorf("files %v, %v", entries, err)
	}
	f.Clear()
	result, r := runWith(t, &p, unhurried(f.Path()))
	measured(t, result, r)
	onlyProbe(t, f.Backing())
}

// leaveFile makes a file as one that has ended left it, and returns its name.
func leaveFile(t *testing.T, directory string) (name string) {
	t.Helper()
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	name = ".columnstore_exporter-pm1." + strconv.Itoa(gone.Process.Pid) + ".1.commit"
	if err := os.WriteFile(filepath.Join(directory, name), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestLeftoversOfACrash are removed by the first run; what is not ours stays.
func TestLeftoversOfACrash(t *testing.T) {
	directory := t.TempDir()
	leaveFile(t, directory)
	for _, name := range []string{"000.dir", ".columnstore_exporter-pm2.probe"} {
		if err := os.WriteFile(filepath.Join(directory, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	result, r := run(t, spec(directory))
	measured(t, result, r)
	files(t, directory, probeName, ".columnstore_exporter-pm2.probe", "000.dir")
}

// TestLeftoverThatCannotBeRemoved is told of, and no reason to measure less. It goes when it can.
func TestLeftoverThatCannotBeRemoved(t *testing.T) {
	directory := t.TempDir()
	leftover := filepath.Join(directory, leaveFile(t, directory))
	if err := errors.Join(os.Remove(leftover), os.Mkdir(leftover, 0o700)); err != nil { // unlink refuses a directory
		t.Fatal(err)
	}
	var p latency.Prober
	for range 2 {
		result, r := runWith(t, &p, unhurried(directory))
		if result.Read.Count == 0 || result.Commit.Count == 0 || result.CommitFailure != "" {
			t.Errorf("%+v, commits %+v", result, r.samples(latency.Commit))
		}
		if !strings.Contains(result.Error, leftover) {
			t.Errorf("the leftover is not named: %q", result.Error)
		}
	}
	if err := errors.Join(os.Remove(leftover), os.WriteFile(leftover, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	result, r := runWith(t, &p, unhurried(directory))
	measured(t, result, r)
	onlyProbe(t, directory)
}

// TestLeftoverOfOneThatLived is removed once its maker has ended.
func TestLeftoverOfOneThatLived(t *testing.T) {
	directory := t.TempDir()
	maker := exec.Command("sleep", "1h")
	if err := maker.Start(); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf(".columnstore_exporter-pm1.%d.%d.commit", maker.Process.Pid, time.Now().UnixNano())
	if err := os.WriteFile(filepath.Join(directory, name), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var p latency.Prober
	result, r := runWith(t, &p, unhurried(directory))
	measured(t, result, r)
	files(t, directory, name, probeName)

	if err := maker.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = maker.Wait() // it was killed
	result, r = runWith(t, &p, unhurried(directory))
	measured(t, result, r)
	onlyProbe(t, directory)
}

// TestFileSystemThatBringsBackWhatWasRemoved has crashed under the process, which has seen its trouble.
func TestFileSystemThatBringsBackWhatWasRemoved(t *testing.T) {
	f := faultfs.Mount(t, faultfs.Options{})
	var p latency.Prober
	result, r := runWith(t, &p, unhurried(f.Path()))
	measured(t, result, r)
	removed := fmt.Sprintf(".columnstore_exporter-pm1.%d.%d.committed", os.Getpid(), time.Now().UnixNano())

	if err := os.WriteFile(filepath.Join(f.Backing(), removed), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	anew := unhurried(f.Path())
	anew.Anew = true
	result, r = runWith(t, &p, anew)
	measured(t, result, r)
	onlyProbe(t, f.Backing())
}

// TestNoRoom keeps a file system from becoming so full that ColumnStore stops importing.
func TestNoRoom(t *testing.T) {
	mountpoint := inMemory(t)
	ballast := filepath.Join(mountpoint, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 9<<20-100<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	s := spec(mountpoint)
	s.Commits = 0
	result, _ := run(t, s)
	if result.ReadFailure != reason.ENOSPC {
		t.Errorf("got %+v", result)
	}
	files(t, mountpoint, "ballast")
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	result, r := run(t, s)
	measured(t, result, r)
}

func TestRequestSizeThatDirectIOCannotHave(t *testing.T) {
	directory := t.TempDir()
	s := spec(directory)
	s.RequestSize = 4096 + 256
	result, _ := run(t, s)
	if result.ReadFailure != reason.EINVAL {
		t.Errorf("got %+v", result)
	}
	s.Buffered = true
	result, r := run(t, s)
	measured(t, result, r)
}

func TestReadOnlyFileSystemIsStillRead(t *testing.T) {
	directory := onLoop("ext4")(t)
	result, r := run(t, spec(directory))
	measured(t, result, r)
	command(t, "mount", "-o", "remount,ro", filepath.Dir(directory))
	result, r = run(t, spec(directory))
	want := outcome{Reads: []reason.Reason{""}, Commits: []reason.Reason{reason.EROFS}}
	if diff := cmp.Diff(want, outcomeOf(result, r)); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, result.Error)
	}
}

func TestCancelledBuildLeavesNothing(t *testing.T) {
	directory := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	result := latency.Run(ctx, spec(directory), silent{})
	if result.Read.Count != 0 || result.Commit.Count != 0 || result.ReadFailure != "" || result.CommitFailure != "" {
		t.Errorf("got %+v", result)
	}
	if _, err := os.Stat(filepath.Join(directory, probeName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("stat of the probe file: %v", err)
	}
	files(t, directory)
}
