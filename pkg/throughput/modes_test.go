package throughput_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// tmpfs takes O_DIRECT and does nothing of the kind.
func TestDirectNotHonoured(t *testing.T) {
	directory := t.TempDir()
	if err := unix.Mount("tmpfs", directory, "tmpfs", 0, "size=8m"); err != nil {
		t.Fatalf("mount a tmpfs, as root: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(directory, 0); err != nil {
			t.Error(err)
		}
	})
	outcome := throughput.Run(t.Context(), small(directory, throughput.Tests()...), silent{})
	for _, r := range outcome.Tests {
		if r.IO != throughput.Direct || r.DeviceRatio == nil || *r.DeviceRatio > 0.1 || r.Error != "" {
			t.Errorf("%s = %+v, want it said that nothing reached a device", r.Test, r)
		}
	}
	if d := throughput.Diagnose(outcome.Tests); d.Word != throughput.Cached {
		t.Errorf("Diagnose() = %+v, want %s", d, throughput.Cached)
	}
}

func TestDirectRefusedAtOpen(t *testing.T) {
	f := faultfs.Mount(t, faultfs.Options{RefuseDirect: true})
	outcome := throughput.Run(t.Context(), small(f.Path(), throughput.Tests()...), silent{})
	if len(outcome.Tests) != len(throughput.Tests()) {
		t.Fatalf("Run() = %+v", outcome)
	}
	for _, r := range outcome.Tests {
		if r.IO != throughput.Buffered || r.DeviceRatio != nil || r.Error != "" {
			t.Errorf("%s = %+v, want it buffered", r.Test, r)
		}
	}
	written := outcome.Tests[0].WrittenBytes / (64 << 10)
	if syncs := f.Count(faultfs.Fsync); int64(syncs) < written {
		t.Errorf("%d syncs for %d blocks, want one each", syncs, written)
	}
	wantClean(t, f.Backing())
}

// A device of large sectors refuses small ones only when it comes to writing.
func TestDirectRefusedAtWrite(t *testing.T) {
	directory := largeSectors(t)
	spec := small(directory, throughput.Tests()...)
	spec.BlockSize = 4096 + 512
	outcome := throughput.Run(t.Context(), spec, silent{})
	if len(outcome.Tests) != len(throughput.Tests()) {
		t.Fatalf("Run() = %+v", outcome)
	}
	for _, r := range outcome.Tests {
		if r.IO != throughput.Buffered || r.Error != "" {
			t.Errorf("%s = %+v, want it buffered", r.Test, r)
		}
	}
	wantClean(t, directory)
}

// largeSectors mounts a file system on a loop device with sectors of 4096 bytes.
func largeSectors(t *testing.T) (directory string) {
	t.Helper()
	directory = t.TempDir()
	image := t.TempDir() + "/image"
	run(t, "truncate", "--size=64M", image)
	device := strings.TrimSpace(run(t, "losetup", "--find", "--show", "--sector-size=4096", image))
	t.Cleanup(func() { run(t, "losetup", "--detach", device) })
	run(t, "mkfs.ext4", "-q", device)
	run(t, "mount", device, directory)
	t.Cleanup(func() { run(t, "umount", directory) })
	return directory
}

// run runs a command, which must succeed, and returns what it prints.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	// Cleanups run commands, too, when the test's context is over.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), name, args...)
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, output)
	}
	return string(output)
}
