package throughput_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// start runs a spec in a process of its own.
func start(t testing.TB, spec throughput.Spec) (process *exec.Cmd, output *bufio.Scanner) {
	t.Helper()
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	process = exec.CommandContext(t.Context(), os.Args[0])
	process.Env = append(os.Environ(), childSpec+"="+string(text))
	process.Stderr = os.Stderr
	pipe, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	return process, bufio.NewScanner(pipe)
}

// What a run leaves that is killed, the next one takes away.
func TestKilled(t *testing.T) {
	directory := testbed.Loop(t, "ext4", 64<<20)
	spec := small(directory, throughput.Overwrite)
	spec.Duration = forever
	process, output := start(t, spec)
	if !output.Scan() || output.Text() != "begun" {
		t.Fatalf("the process said %q: %v", output.Text(), output.Err())
	}
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := process.Wait(); err == nil {
		t.Fatal("the process was killed and ended well")
	}
	if left := files(t, directory); len(left) != spec.Threads {
		t.Fatalf("%v are left, want a file a thread: this test shows nothing", left)
	}
	runOne(t, small(directory, throughput.Write))
	wantClean(t, directory)
}
