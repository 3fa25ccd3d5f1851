package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
)

func TestScripts(t *testing.T) { runScripts(t, "testdata/scripts", nil) }

// runScripts runs the scripts in a directory; setup may add to the environment of each.
func runScripts(t *testing.T, dir string, setup func(*testscript.Env) error) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		Setup:               setup,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "normalised": normalised, "matches": matches, "faulty": faulty, "memory": memory,
		},
	})
}

// exits asserts a command's exit code, which testscript's exec does not tell: exits CODE COMMAND [ARG...].
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if err != nil || neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		code = e.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// matches asserts that the last command wrote JSON of a schema in docs to stdout: matches SCHEMA.
func matches(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: matches SCHEMA")
	}
	ts.Check(testbed.MatchesSchema("../../docs/"+args[0], []byte(ts.ReadFile("stdout"))))
}

// faulty makes a directory on storage all of whose reads fail with EIO, or are slow: faulty DIRECTORY eio|DELAY.
func faulty(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: faulty DIRECTORY eio|DELAY")
	}
	fault := faultfs.Fault{Errno: syscall.EIO}
	if args[1] != "eio" {
		delay, err := time.ParseDuration(args[1])
		ts.Check(err)
		fault = faultfs.Fault{Delay: delay}
	}
	mountpoint := ts.MkAbs(args[0])
	backing := mountpoint + ".backing"
	ts.Check(errors.Join(os.Mkdir(mountpoint, 0o700), os.Mkdir(backing, 0o700)))
	fs, err := faultfs.New(backing, mountpoint, faultfs.Options{DirectIO: true})
	ts.Check(err)
	ts.Defer(func() { ts.Check(fs.Close()) })
	fs.Set(faultfs.Read, fault)
}

// memory mounts a tmpfs on a directory: memory DIRECTORY.
func memory(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: memory DIRECTORY")
	}
	mountpoint := ts.MkAbs(args[0])
	ts.Check(unix.Mount("memory", mountpoint, "tmpfs", 0, "size=256m"))
	ts.Defer(func() { ts.Check(unix.Unmount(mountpoint, 0)) })
}
