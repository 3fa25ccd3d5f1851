package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
)

// onTerminal is a command that runs on a terminal of its own.
type onTerminal struct {
	*exporterProcess
	// keyboard is the terminal's other side.
	keyboard *os.File
}

// launchOnTerminal runs a command of the exporter on a terminal of 100 columns. What it shows is in output.
func launchOnTerminal(t *testing.T, args []string, env ...string) onTerminal {
	t.Helper()
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(ptmx, &pty.Winsize{Rows: 50, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	cmd.Env = append(os.Environ(), asExporter+"=1", "COLUMNSTORE_EXPORTER_STATE_DIR="+t.TempDir(), "COLUMNSTORE_EXPORTER_COMMIT_COUNT=1")
	cmd.Env = append(cmd.Env, env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close() // the command has its own
	p := &exporterProcess{t: t, patience: patience, cmd: cmd, ended: make(chan struct{}), logs: &lockedBuffer{}, output: &lockedBuffer{}}
	go func() {
		_, _ = io.Copy(p.output, ptmx) // ends with EIO when the last that has the terminal open has ended
		_ = cmd.Wait()                 // the tests ask ProcessState
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.kill()
		ptmx.Close()
	})
	return onTerminal{p, ptmx}
}

// interrupt presses Ctrl-C.
func (o onTerminal) interrupt() {
	o.t.Helper()
	if _, err := o.keyboard.Write([]byte{3}); err != nil {
		o.t.Fatal(err)
	}
}

func (o onTerminal) code() int {
	o.t.Helper()
	o.wait(patience)
	return o.cmd.ProcessState.ExitCode()
}

func TestColourIsForTerminalsThatWantIt(t *testing.T) {
	const coloured = "\x1b[33mslow\x1b[0m: "
	for name, test := range map[string]struct {
		env    []string
		flag   string
		colour bool
	}{
		"a terminal":          {[]string{"TERM=xterm-256color"}, "", true},
		"NO_COLOR":            {[]string{"TERM=xterm-256color", "NO_COLOR=1"}, "", false},
		"an empty NO_COLOR":   {[]string{"TERM=xterm-256color", "NO_COLOR="}, "", true},
		"a dumb terminal":     {[]string{"TERM=dumb"}, "", false},
		"an unknown terminal": {[]string{"TERM="}, "", false},
		"JSON":                {[]string{"TERM=xterm-256color"}, "--json", false},
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{"check", "--count", "2", "--interval", "10ms", t.TempDir()}
			if test.flag != "" {
				args = append(args, test.flag)
			}
			p := launchOnTerminal(t, args, append(test.env, "COLUMNSTORE_EXPORTER_LATENCY_TARGET=1us")...)
			if code := p.code(); code != 1 {
				t.Errorf("exit code %d, want 1", code)
			}
			shown := p.output.String()
			if got := strings.Contains(shown, coloured); got != test.colour {
				t.Errorf("colour: %v, want %v in %q", got, test.colour, shown)
			}
			if !test.colour && strings.Contains(shown, "\x1b[3") {
				t.Errorf("colours in %q", shown)
			}
		})
	}
}

func TestProgressIsForTerminals(t *testing.T) {
	fs := faultfs.Mount(t, faultfs.Options{DirectIO: true})
	p := launchOnTerminal(t, []string{"check", "--count", "20", "--interval", "100ms", fs.Path()}, "TERM=xterm")
	p.eventually("progress is shown with the time left", func() bool {
		return strings.Contains(p.output.String(), "measuring ") && strings.Contains(p.output.String(), ":")
	})
	p.wait(patience)
}

func TestCtrlCEndsTheMeasurementNotTheReport(t *testing.T) {
	fs := faultfs.Mount(t, faultfs.Options{DirectIO: true})
	for name, test := range map[string]struct {
		target string
		want   int
	}{"fast": {"10s", 0}, "slow": {"1us", 1}} {
		t.Run(name, func(t *testing.T) {
			p := launchOnTerminal(t, []string{"check", "--count", "10000", "--interval", "10ms", fs.Path()}, "TERM=xterm", "COLUMNSTORE_EXPORTER_LATENCY_TARGET="+test.target)
			before := fs.Count(faultfs.Read)
			p.eventually("it reads", func() bool { return fs.Count(faultfs.Read) > before+20 })
			p.interrupt()
			if code := p.code(); code != test.want {
				t.Errorf("exit code %d, want %d", code, test.want)
			}
			shown := p.output.String()
			for _, want := range []string{" requests completed in ", "not begun: ", ", direct) "} {
				if !strings.Contains(shown, want) {
					t.Errorf("no %q in %s", want, shown)
				}
			}
			if !strings.HasSuffix(shown, "interrupted: these are the figures until then\r\n") {
				t.Errorf("the report is not the last that is shown: %q", shown)
			}
		})
	}
}

func TestCtrlCKeepsTheThroughputTestsThatRan(t *testing.T) {
	dir := t.TempDir()
	p := launchOnTerminal(t, []string{"check", "--count", "2", "--interval", "10ms", "--throughput", dir}, "TERM=xterm",
		"COLUMNSTORE_EXPORTER_LATENCY_TARGET=10s", "COLUMNSTORE_EXPORTER_THROUGHPUT_DURATION=1m", "COLUMNSTORE_EXPORTER_THROUGHPUT_MAX_BYTES=16MiB",
		"COLUMNSTORE_EXPORTER_THROUGHPUT_MIN_FREE=1MiB", "COLUMNSTORE_EXPORTER_THROUGHPUT_TESTS=write,overwrite")
	p.eventually("the second test runs", func() bool { return strings.Contains(p.output.String(), "overwrite ") })
	p.interrupt()
	if code := p.code(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	for _, want := range []string{"\r\nwrite ", "\r\noverwrite ", "overwrite: ended early: stopped"} {
		if !strings.Contains(p.output.String(), want) {
			t.Errorf("no %q in %s", want, p.output)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || !strings.HasSuffix(left[0].Name(), ".probe") {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestSecondCtrlCEndsAtOnce(t *testing.T) {
	fs := faultfs.Mount(t, faultfs.Options{DirectIO: true})
	held := fs.Hang(faultfs.Read)
	p := launchOnTerminal(t, []string{"check", "--count", "10000", fs.Path()}, "TERM=xterm")
	<-held
	p.interrupt()
	p.eventually("the first is taken", func() bool { return strings.Contains(p.output.String(), "Ctrl-C again ends at once\r\n") })
	p.interrupt()
	p.wait(patience)
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Errorf("%v: %s", p.cmd.ProcessState, p.output)
	}
}
