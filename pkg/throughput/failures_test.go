package throughput_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// An error of storage ends the run with its reason and with the figures up to there, and leaves nothing.
func TestStorageFails(t *testing.T) {
	cases := []struct {
		test      throughput.Test
		operation faultfs.Operation
		errno     syscall.Errno
		want      reason.Reason
	}{
		{throughput.Overwrite, faultfs.Write, syscall.ENOSPC, reason.ENOSPC},
		{throughput.Overwrite, faultfs.Write, syscall.EDQUOT, reason.EDQUOT},
		{throughput.Overwrite, faultfs.Write, syscall.EIO, reason.EIO},
		{throughput.Rewrite, faultfs.Read, syscall.EIO, reason.EIO},
		{throughput.ReadTest, faultfs.Read, syscall.ESTALE, reason.ESTALE},
		{throughput.SkipRead, faultfs.Read, syscall.ENOTCONN, reason.ENODEV},
	}
	for _, c := range cases {
		t.Run(string(c.test)+"/"+string(c.want), func(t *testing.T) {
			f := faultfs.Mount(t, faultfs.Options{})
			spec := small(f.Path(), c.test, throughput.SkipRead)
			spec.Duration = forever
			outcome := throughput.Run(t.Context(), spec, when(c.test, func() { f.Set(c.operation, faultfs.Fault{Errno: c.errno}) }))
			if len(outcome.Tests) != 1 || outcome.Failure != "" {
				t.Fatalf("Run() = %+v, want the test that failed alone", outcome)
			}
			r := outcome.Tests[0]
			if r.Test != c.test || r.Failure != c.want || r.ReadBytes+r.WrittenBytes == 0 || !mentions(r.Error, string(c.operation), f.Path()) {
				t.Errorf("Run() = %+v, want %s with figures", r, c.want)
			}
			wantClean(t, f.Backing())
		})
	}
}

// A read that ends early, and one that lies.
func TestStorageLies(t *testing.T) {
	f := faultfs.Mount(t, faultfs.Options{DirectIO: true})
	spec := small(f.Path(), throughput.ReadTest)
	spec.Duration = forever
	outcome := throughput.Run(t.Context(), spec, when(throughput.ReadTest, func() { f.Set(faultfs.Read, faultfs.Fault{Flip: true}) }))
	if r := outcome.Tests[0]; r.Failure != reason.Corrupt || r.DeviceRatio != nil {
		t.Errorf("Run() = %+v, want it corrupt, and no ratio where nobody counts", r)
	}
}

// What fails before the first test is a failure of the run, with nothing left behind.
func TestNothingToTestOn(t *testing.T) {
	cases := map[faultfs.Operation]struct {
		errno syscall.Errno
		want  reason.Reason
	}{
		faultfs.Create:  {syscall.EROFS, reason.EROFS},
		faultfs.Write:   {syscall.EACCES, reason.EACCES},
		faultfs.Read:    {syscall.EINVAL, reason.EINVAL},
		faultfs.Statfs:  {syscall.EIO, reason.EIO},
		faultfs.Readdir: {syscall.EMFILE, reason.EMFILE},
	}
	for operation, c := range cases {
		t.Run(string(operation), func(t *testing.T) {
			f := faultfs.Mount(t, faultfs.Options{})
			f.Set(operation, faultfs.Fault{Errno: c.errno})
			outcome := throughput.Run(t.Context(), small(f.Path(), throughput.Write), silent{})
			if outcome.Failure != c.want || !mentions(outcome.Error, f.Path()) || len(outcome.Tests) != 0 {
				t.Errorf("Run() = %+v, want %s", outcome, c.want)
			}
			wantClean(t, f.Backing())
		})
	}
}

// A failure to lay out is one of the test that needs the files.
func TestLayOutFails(t *testing.T) {
	f := faultfs.Mount(t, faultfs.Options{})
	spec := small(f.Path(), throughput.ReadTest, throughput.SkipRead)
	spec.Duration, spec.MaxBytes = forever, 1<<40
	outcome := throughput.Run(t.Context(), spec, when(throughput.LayOut, func() { f.Set(faultfs.Write, faultfs.Fault{Errno: syscall.ENOSPC}) }))
	if len(outcome.Tests) != 1 || outcome.Tests[0].Test != throughput.ReadTest || outcome.Tests[0].Failure != reason.ENOSPC {
		t.Errorf("Run() = %+v, want read to fail with enospc", outcome)
	}
	wantClean(t, f.Backing())
}

// Files that cannot be removed are a failure of the run; the figures stand.
func TestRemovalFails(t *testing.T) {
	f := faultfs.Mount(t, faultfs.Options{})
	f.Set(faultfs.Unlink, faultfs.Fault{Errno: syscall.EPERM})
	outcome := throughput.Run(t.Context(), small(f.Path(), throughput.Write), silent{})
	if outcome.Failure != reason.EPERM || len(outcome.Tests) != 1 || outcome.Tests[0].Failure != "" {
		t.Errorf("Run() = %+v, want figures, and eperm for the files", outcome)
	}
}

func TestSkip(t *testing.T) {
	directory := t.TempDir()
	file := filepath.Join(directory, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		directory string
		mount     topology.Mount
		want      throughput.Outcome
	}{
		"absent":       {directory: filepath.Join(directory, "absent"), want: throughput.Outcome{Skip: "absent"}},
		"other mount":  {directory: directory, mount: topology.Mount{ID: 1, Device: "0:0"}, want: throughput.Outcome{Skip: "mount"}},
		"no directory": {directory: file, want: throughput.Outcome{Failure: reason.ENOTDIR}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			spec := small(c.directory, throughput.Write)
			spec.Mount = c.mount
			got := throughput.Run(t.Context(), spec, silent{})
			if got.Skip != c.want.Skip || got.Failure != c.want.Failure || len(got.Tests) != 0 || !mentions(got.Error, c.directory) {
				t.Errorf("Run() = %+v, want %+v", got, c.want)
			}
		})
	}
}
