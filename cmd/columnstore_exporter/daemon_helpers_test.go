package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// patience is how long a test waits for what takes a moment on an idle machine.
const patience = 60 * time.Second

// exporterProcess is the real program, run by a test.
type exporterProcess struct {
	t        testing.TB
	patience time.Duration
	address  string
	cmd      *exec.Cmd
	ended    chan struct{} // closed when the process has ended
	logs     *lockedBuffer
	output   *lockedBuffer // what it writes to stdout
}

// fast are settings under which a run takes a fraction of a second.
func fast(env ...string) []string {
	return append([]string{
		"LATENCY_INTERVAL=500ms", "LATENCY_COUNT=11", "LATENCY_REQUEST_INTERVAL=10ms", "COMMIT_COUNT=2", "DISCOVERY_INTERVAL=500ms",
	}, env...)
}

// startExporter runs the daemon on a free port until the test ends. env is without the prefix of the variables.
func startExporter(t testing.TB, env ...string) *exporterProcess {
	t.Helper()
	p := launchExporter(t, append(env, "LISTEN_ADDRESS="+testbed.FreeAddress(t))...)
	p.eventually("the daemon answers", func() bool { return p.get("/-/healthy") == "healthy\n" })
	return p
}

// launchExporter runs the daemon without waiting for it.
func launchExporter(t testing.TB, env ...string) *exporterProcess {
	t.Helper()
	return launch(t, os.Args[0], env...)
}

// build makes the static binary, as it is shipped.
func build(t testing.TB) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "columnstore_exporter")
	testbed.Static(t, "build", "-trimpath", "-ldflags=-s -w", "-o", program, ".")
	return program
}

// launch runs program, the exporter or the test binary, without waiting for it.
func launch(t testing.TB, program string, env ...string) *exporterProcess {
	t.Helper()
	return execute(t, exec.Command(program), env...)
}

// launchCommand runs a command of the exporter without waiting for it.
func launchCommand(t testing.TB, args []string, env ...string) *exporterProcess {
	t.Helper()
	return execute(t, exec.Command(os.Args[0], args...), env...)
}

func execute(t testing.TB, cmd *exec.Cmd, env ...string) *exporterProcess {
	t.Helper()
	p := &exporterProcess{t: t, patience: patience, cmd: cmd, ended: make(chan struct{}), logs: &lockedBuffer{}, output: &lockedBuffer{}}
	p.cmd.Env = append(os.Environ(), asExporter+"=1", "COLUMNSTORE_EXPORTER_STATE_DIR="+t.TempDir())
	for _, e := range env {
		p.cmd.Env = append(p.cmd.Env, "COLUMNSTORE_EXPORTER_"+e)
		if address, ok := strings.CutPrefix(e, "LISTEN_ADDRESS="); ok {
			p.address = address
		}
	}
	p.cmd.Stdout = p.output
	if p.cmd.Stderr == nil {
		p.cmd.Stderr = p.logs
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // the tests ask ProcessState
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill ends the process whatever it does, and shows its log when the test has failed.
func (p *exporterProcess) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
	if p.t.Failed() {
		p.t.Logf("log of the exporter:\n%s", p.logs.String())
	}
}

// stop asks the process to end, and returns its exit code and how long the end took.
func (p *exporterProcess) stop() (code int, took time.Duration) {
	p.t.Helper()
	begun := time.Now()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	p.wait(p.patience)
	return p.cmd.ProcessState.ExitCode(), time.Since(begun)
}

// now asks the exporter for a trial.
func (p *exporterProcess) now() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		p.t.Fatal(err)
	}
}

// wait waits for the end of the process.
func (p *exporterProcess) wait(bound time.Duration) {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(bound):
		p.t.Fatalf("the exporter has not ended for %s", bound)
	}
}

// get returns the body at path, empty when there is no answer.
func (p *exporterProcess) get(path string) string {
	p.t.Helper()
	client := http.Client{Timeout: 5 * time.Second}
	response, err := client.Get("http://" + p.address + path)
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return ""
	}
	return string(body)
}

// status returns the picture of /api/v1/status.
func (p *exporterProcess) status() status.Snapshot {
	p.t.Helper()
	var s status.Snapshot
	if err := json.Unmarshal([]byte(p.get("/api/v1/status")), &s); err != nil {
		p.t.Fatalf("status: %v", err)
	}
	return s
}

// metric returns the value of a series, written as in the text format without the prefix columnstore_.
func (p *exporterProcess) metric(series string) (float64, bool) {
	p.t.Helper()
	return valueIn(p.t, p.get("/metrics"), series)
}

// valueIn returns the value of a series in an exposition, and false where there is none.
func valueIn(t testing.TB, exposition, series string) (float64, bool) {
	t.Helper()
	for line := range strings.Lines(exposition) {
		if rest, ok := strings.CutPrefix(line, "columnstore_"+series+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				t.Fatal(err)
			}
			return v, true
		}
	}
	return 0, false
}

// expect waits until the series has a value that holds.
func (p *exporterProcess) expect(series string, holds func(float64) bool) float64 {
	p.t.Helper()
	var last float64
	p.eventually(series, func() bool {
		v, ok := p.metric(series)
		last = v
		return ok && holds(v)
	})
	return last
}

// eventually polls until what holds, or fails the test.
func (p *exporterProcess) eventually(what string, holds func() bool) {
	p.t.Helper()
	deadline := time.Now().Add(p.patience)
	for !holds() {
		select {
		case <-p.ended:
			p.t.Fatalf("the exporter has ended while waiting for: %s\n%s", what, p.logs.String())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("gave up waiting for: %s", what)
		}
	}
}

func above(bound float64) func(float64) bool { return func(v float64) bool { return v > bound } }

func is(want float64) func(float64) bool { return func(v float64) bool { return v == want } }

// lockedBuffer collects what a process writes.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// children returns the processes whose parent is pid.
func children(t testing.TB, pid int) []int {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, file := range tasks {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // the thread has ended meanwhile
		}
		if err != nil {
			t.Fatal(err)
		}
		for field := range strings.FieldsSeq(string(text)) {
			var child int
			if _, err := fmt.Sscan(field, &child); err != nil {
				t.Fatal(err)
			}
			out = append(out, child)
		}
	}
	return out
}
