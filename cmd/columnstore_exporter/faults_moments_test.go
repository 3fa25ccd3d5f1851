//go:build mariadb

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest"
)

// moment is when a fault begins.
type moment string

const (
	atStart     moment = "at start"
	beforeRun   moment = "before a run"
	duringRun   moment = "during a run"
	afterRun    moment = "after a run"
	duringTrial moment = "during an import trial"
	atShutdown  moment = "during shutdown"
)

func moments() []moment {
	return []moment{atStart, beforeRun, duringRun, afterRun, duringTrial, atShutdown}
}

// faultInterval is the interval of the runs. A run takes about half of it.
const faultInterval = 600 * time.Millisecond

// reach brings the daemon to the moment and lets the fault begin there.
func (s *stage) reach() {
	if s.moment != atStart {
		s.launch()
		s.awaitAnswer()
		s.awaitWell()
	}
	switch s.moment {
	case atStart:
		s.startWithFault()
	case beforeRun:
		s.awaitRunBegun()
		<-time.After(faultInterval * 3 / 4) // the place in the interval
		s.begin()
	case duringRun, atShutdown:
		s.awaitRunBegun()
		s.begin()
	case afterRun:
		s.awaitRunEnded()
		s.begin()
	case duringTrial:
		s.trial()
	}
}

// startWithFault starts the daemon on a directory that has a fault already, or in a process that gets one at once.
func (s *stage) startWithFault() {
	s.earlierLife()
	if s.fault.process {
		s.launch()
		s.begin()
	} else {
		s.begin()
		s.launch()
	}
	s.awaitAnswer()
}

// earlierLife leaves the directory as an exporter that ran before: with a probe file.
func (s *stage) earlierLife() {
	s.Helper()
	p := s.command("check", "--count", "2", "--interval", "1ms", s.dir)
	p.wait(patience)
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		s.Fatalf("check before the fault: exit code %d\n%s", code, p.logs)
	}
}

func (s *stage) awaitRunBegun() {
	runs := s.look()[s.target("runs_total")]
	s.await("a run begins", func(now reading) bool { return now[s.target("runs_total")] > runs })
}

func (s *stage) awaitRunEnded() {
	last := s.look()[s.target("last_success_timestamp_seconds")]
	s.await("a run ends", func(now reading) bool { return now[s.target("last_success_timestamp_seconds")] > last })
}

// trial lets the fault begin while an import is under way, and the import end well in spite of it.
func (s *stage) trial() {
	s.Helper()
	s.ask(syscall.SIGUSR1)
	s.await("a first trial", func(now reading) bool { return now[imported] > 0 })
	s.standin.Plan(s.T, s.plan(true))
	starts := len(s.standin.PIDs(s.T))
	s.poll("another trial", func() bool { // the first may still be under way, and then there is no second one
		s.ask(syscall.SIGUSR1)
		return len(s.standin.PIDs(s.T)) > starts
	})
	s.begin()
	s.answersQuickly()
	s.must(syscall.Kill(s.standin.PIDs(s.T)[starts], syscall.SIGTERM)) // the stand-in ends well then
	s.await("the import ends well", func(now reading) bool { return now[imported] > s.before[imported] })
	s.counted = s.rounds(s.look())
}

// imported counts the trials that have ended well.
const imported = `ingest_duration_seconds_count{method="cpimport"}`

func (s *stage) ask(signal os.Signal) {
	s.Helper()
	s.must(s.daemon.cmd.Process.Signal(signal))
}

// trialRows is how many rows a trial imports.
const trialRows = 10

// plan is what the stand-in for cpimport does; one that lasts waits for SIGTERM.
func (s *stage) plan(lasts bool) cpimporttest.Plan {
	return cpimporttest.Plan{DSN: s.database.DSN("root", ""), Stdout: cpimporttest.Success(trialRows), Hang: lasts}
}

func (s *stage) trialSettings() []string {
	s.standin = cpimporttest.New(s.T, "standin", s.plan(false))
	if s.user != 0 {
		searchable(s.T, os.Args[0]) // which the stand-in is
		s.give(filepath.Dir(s.standin.Path), filepath.Join(filepath.Dir(s.standin.Path), "plan.json"))
	}
	return []string{
		"INGEST_DSN=" + s.database.DSN("root", ""), "INGEST_METHOD=cpimport", "CPIMPORT_PATH=" + s.standin.Path,
		"INGEST_DATABASE=faults_" + itoa(s.number), "INGEST_ROWS=" + itoa(trialRows), "INGEST_MAX_TABLE_ROWS=1000",
	}
}
