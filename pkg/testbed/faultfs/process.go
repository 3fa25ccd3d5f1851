//go:build linux

package faultfs

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// serving is the environment variable that makes a test binary the server of a slow file system. Its value is the delay.
const serving = "FAULTFS_SERVE"

// Main ends the process after it has served, where it was started by Serve. TestMain calls it first.
func Main() {
	delay, set := os.LookupEnv(serving)
	if !set {
		return
	}
	if err := serve(delay, Operation(os.Args[1]), os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve serves until its input ends.
func serve(delay string, op Operation, backing, mountpoint string) error {
	d, err := time.ParseDuration(delay)
	if err != nil {
		return fmt.Errorf("delay: %w", err)
	}
	f, err := New(backing, mountpoint, Options{})
	if err != nil {
		return err
	}
	f.Set(op, Fault{Delay: d})
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return fmt.Errorf("wait for the end: %w", err)
	}
	return f.Close()
}

// Serve returns a directory in which each operation of a class takes as long as said, until the test ends. A process of its
// own serves it, as storage does: it does not compete for the threads of the one that measures. The test binary calls Main.
func Serve(t testing.TB, op Operation, delay time.Duration) string {
	t.Helper()
	mountpoint := t.TempDir()
	server := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], string(op), t.TempDir(), mountpoint)
	// There is one request at a time, and a server that wakes helpers for it takes longer.
	server.Env = append(os.Environ(), serving+"="+delay.String(), "GOMAXPROCS=1")
	server.Stderr = os.Stderr
	input, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := input.Close(); err != nil {
			t.Error(err)
		}
		if err := server.Wait(); err != nil {
			t.Errorf("server of slow storage: %v", err)
		}
	})
	if line, err := bufio.NewReader(output).ReadString('\n'); line != "ready\n" {
		t.Fatalf("server of slow storage said %q, %v; it needs root and /dev/fuse", line, err)
	}
	return mountpoint
}
