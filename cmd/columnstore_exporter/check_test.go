package main

import (
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestCheckGivesUpOnStorageThatHangs(t *testing.T) {
	fs, well := faultfs.Mount(t, faultfs.Options{DirectIO: true}), t.TempDir()
	fs.Hang(faultfs.Read)
	p := launchCommand(t, []string{"check", "--count", "3", "--interval", "10ms", fs.Path(), well}, "COMMIT_COUNT=0", "LATENCY_TARGET=10s")
	p.wait(patience)
	if code := p.cmd.ProcessState.ExitCode(); code != 2 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"hung: ", "2 requests completed"} {
		if !strings.Contains(p.output.String(), want) {
			t.Errorf("no %q in\n%s", want, p.output)
		}
	}
}

func TestInterruptedCheckReportsWhatItHas(t *testing.T) {
	fs := faultfs.Mount(t, faultfs.Options{DirectIO: true})
	p := launchCommand(t, []string{"check", "--count", "10000", "--interval", "10ms", fs.Path()}, "LATENCY_TARGET=10s")
	p.eventually("it reads", func() bool { return fs.Count(faultfs.Read) > 20 })
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	p.wait(patience)
	for _, want := range []string{"requests completed", "interrupted"} {
		if !strings.Contains(p.output.String(), want) {
			t.Errorf("no %q in\n%s", want, p.output)
		}
	}
	left, err := filepath.Glob(fs.Backing() + "/.columnstore_exporter-*")
	if err != nil || len(left) != 1 || !strings.HasSuffix(left[0], ".probe") {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
