//go:build linux

package cpimport

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// drainTime is how long the streams are read on once the process has ended. What it printed is in the pipes by then; only
// a child that it left behind can keep them open.
const drainTime = 2 * time.Second

// Process is a started import.
type Process struct {
	// Started is the time just before the start.
	Started time.Time

	cmd    *exec.Cmd
	done   chan struct{}
	ended  time.Time
	status syscall.WaitStatus
}

// Start runs the command in a session and process group of its own, with the streams drained into stdout and stderr,
// which must not block. Nothing of the caller's ends it: neither a signal of a terminal nor the caller's own end.
func Start(c Command, stdout, stderr io.Writer) (*Process, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	cmd := exec.Command(c.Path, c.Args()...) //nolint:noctx // no context may kill it
	cmd.Dir = c.Directory
	cmd.Env = []string{"LC_ALL=C.UTF-8", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var streams streams
	var err error
	if cmd.Stdout, err = streams.pipe(stdout); err == nil {
		cmd.Stderr, err = streams.pipe(stderr)
	}
	if err != nil {
		streams.abandon()
		return nil, err
	}
	p := &Process{Started: time.Now(), cmd: cmd, done: make(chan struct{})}
	if err := cmd.Start(); err != nil {
		streams.abandon()
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	streams.drain()
	go p.wait(&streams)
	return p, nil
}

// wait notes how and when the process has ended, and then what it had still to say.
func (p *Process) wait(s *streams) {
	defer close(p.done)
	_ = p.cmd.Wait() // the status tells all
	p.ended = time.Now()
	p.status, _ = p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	s.finish(p.ended.Add(drainTime))
}

// PID returns the process id, which is that of the process group and of the session, too.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended and its streams are read.
func (p *Process) Done() <-chan struct{} { return p.done }

// Elapsed returns the wall clock from just before the start to the end of the process. It may be asked once Done is closed.
func (p *Process) Elapsed() time.Duration { return p.ended.Sub(p.Started) }

// Status returns how the process has ended. It may be asked once Done is closed.
func (p *Process) Status() syscall.WaitStatus { return p.status }

// End asks the process group to end: SIGTERM, at which cpimport rolls back and gives up its lock. Nothing stronger is
// ever sent, as it would leave the lock behind.
func (p *Process) End() error {
	select {
	case <-p.done:
		return nil
	default:
	}
	if err := syscall.Kill(-p.PID(), syscall.SIGTERM); err != nil {
		return fmt.Errorf("send SIGTERM to the process group %d of cpimport: %w", p.PID(), err)
	}
	return nil
}

// streams are the two pipes of a process.
type streams struct {
	pipes   []pipe
	reading sync.WaitGroup
}

type pipe struct {
	read, write *os.File
	to          io.Writer
}

// pipe returns the end that the process writes to.
func (s *streams) pipe(to io.Writer) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for the output of cpimport: %w", err)
	}
	s.pipes = append(s.pipes, pipe{read: read, write: write, to: to})
	return write, nil
}

// abandon closes the pipes of a process that was not started.
func (s *streams) abandon() {
	for _, p := range s.pipes {
		_ = p.read.Close()
		_ = p.write.Close()
	}
}

// drain reads the pipes from now on, so that the process never waits for a reader.
func (s *streams) drain() {
	for _, p := range s.pipes {
		_ = p.write.Close()
		s.reading.Go(func() { _, _ = io.Copy(p.to, p.read) })
	}
}

// finish reads the pipes to their ends or to the deadline, whichever comes first, and closes them.
func (s *streams) finish(deadline time.Time) {
	for _, p := range s.pipes {
		_ = p.read.SetReadDeadline(deadline)
	}
	s.reading.Wait()
	for _, p := range s.pipes {
		_ = p.read.Close()
	}
}
