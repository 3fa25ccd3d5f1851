//go:build mariadb

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/figures"
)

const (
	// signRounds is how many runs of the neighbour may fall due before a fault is seen. Three are those of two intervals and
	// the one that was due when the fault began; where others use the machine, it may take many more.
	signRounds = 20
	// neighbourRuns is how many runs of the neighbour are compared with its earlier ones.
	neighbourRuns = 3
	// mostRuns is how many runs are waited for where others on the machine disturb the neighbour.
	mostRuns = 15
	// neighbourDelay is what each read of the neighbour takes, so that a busy machine changes little of it.
	neighbourDelay = 5 * time.Millisecond
	// neighbourBound is far above the tenth that is aimed at: the machine is shared.
	neighbourBound = 2.0
	// answerBound is how long an answer may take on a shared machine.
	answerBound = 5 * time.Second
)

// stage is where one cell is played.
type stage struct {
	*testing.T
	scene
	theatre
	*bed
	number    int
	neighbour *faultfs.FS
	standin   *cpimporttest.Standin
	settings  []string
	daemon    *exporterProcess
	limits    map[int]string // of processes before they were lowered
	before    reading        // as the fault began
	counted   float64        // rounds of the neighbour before those that count
	// means are those of the neighbour's runs since the fault began, undisturbed is the median of those before.
	means       []float64
	undisturbed float64
	seen        observation
}

// observation is what was seen in a cell.
type observation struct {
	storage   string
	rounds    float64       // runs of the neighbour that fell due until the fault was seen
	neighbour float64       // the median of its runs' means with the fault ÷ without; 0 where it was not compared
	answer    time.Duration // the slowest answer over HTTP
	exit      time.Duration
	failed    bool
}

func (o observation) String() string {
	return fmt.Sprintf("seen in round %.0f, neighbour %.2f, answer %s, exit %s", o.rounds, o.neighbour, o.answer, o.exit)
}

// play plays the cell.
func (s *stage) play() {
	s.bed = s.fault.storage(s.T)
	s.seen.storage = s.kind
	s.neighbour = faultfs.Mount(s.T, faultfs.Options{DirectIO: true})
	s.neighbour.Set(faultfs.Read, faultfs.Fault{Delay: neighbourDelay})
	s.settings = s.configuration()
	found := s.listing()
	s.reach()
	if s.moment == atShutdown {
		s.shutDown()
		s.end()
		s.launch()
		s.awaitAnswer()
	} else {
		s.awaitSign()
		s.compareNeighbour()
		s.nothingDoubled()
		if s.moment == atStart {
			s.daemon.eventually("ready in spite of the fault", func() bool { return s.daemon.get("/-/ready") == "ready\n" })
		}
		s.answersQuickly()
		s.end()
	}
	s.awaitWell()
	s.shutDown()
	s.nothingLeft(found)
	s.noCrash()
}

func (s *stage) configuration() []string {
	state := s.TempDir()
	env := []string{
		"DBROOTS=1=" + s.dir, "EXTRA_DIRECTORIES=neighbour=" + s.neighbour.Path(), "STATE_DIR=" + state,
		"LATENCY_INTERVAL=" + faultInterval.String(), "LATENCY_COUNT=21", "LATENCY_REQUEST_INTERVAL=10ms", "COMMIT_COUNT=5",
		"DISCOVERY_INTERVAL=500ms", "LATENCY_TARGET=10s",
	}
	if s.moment == duringTrial {
		env = append(env, s.trialSettings()...)
	}
	if s.user != 0 {
		s.give(state, s.neighbour.Backing(), s.dir)
	}
	return env
}

// command runs a command of the exporter as the cell wants it.
func (s *stage) command(args ...string) *exporterProcess {
	s.Helper()
	program := s.program
	if s.fault.injected {
		program = os.Args[0]
	}
	return execute(s.T, s.asUser(program, args...), append(s.settings, "LISTEN_ADDRESS="+testbed.FreeAddress(s.T))...)
}

func (s *stage) launch() { s.daemon = s.command() }

func (s *stage) begin() {
	s.Helper()
	s.before = reading{}
	if s.daemon != nil && s.moment != atStart {
		s.before = s.look()
		s.counted = s.rounds(s.before)
	}
	s.means = nil
	s.fault.begin(s)
}

func (s *stage) end() {
	s.Helper()
	if over := s.fault.process && s.moment == atShutdown; s.fault.end != nil && !over {
		s.fault.end(s)
	}
}

// awaitAnswer waits for the daemon to listen, which it does whatever the storage does.
func (s *stage) awaitAnswer() {
	s.Helper()
	s.daemon.eventually("the daemon answers", func() bool { return s.daemon.get("/-/healthy") == "healthy\n" })
}

// awaitWell waits until both directories are measured, and the first time until there is enough of the neighbour to compare with.
func (s *stage) awaitWell() {
	s.Helper()
	before := s.look()
	s.await("both directories are measured", func(now reading) bool {
		return now[s.target("success")] == 1 && now[s.beside("success")] == 1 &&
			now[s.target("last_success_timestamp_seconds")] != before[s.target("last_success_timestamp_seconds")] &&
			now[s.target("in_flight_start_timestamp_seconds")] == 0 && s.bulkRollbackWell(before, now) && (s.undisturbed > 0 || len(s.means) >= neighbourRuns)
	})
	if s.undisturbed == 0 {
		s.undisturbed = figures.Quantile(s.means, 0.5)
	}
}

// bulkRollbackWell tells whether a bulkRollback that is there has been measured since.
func (s *stage) bulkRollbackWell(before, now reading) bool {
	success, there := now[s.bulkRollback("success")]
	last := s.bulkRollback("last_success_timestamp_seconds")
	return !there && s.fs == nil || success == 1 && now[last] != before[last]
}

// awaitSign waits for what the fault is to look like, and counts the neighbour's rounds until then.
func (s *stage) awaitSign() {
	s.Helper()
	s.await(s.fault.sign.what, func(now reading) bool {
		s.seen.rounds = s.rounds(now) - s.counted
		return s.fault.sign.holds(s, now)
	})
	if s.seen.rounds > signRounds {
		s.Errorf("%s: seen only when the neighbour had %.0f runs", s.fault.sign.what, s.seen.rounds)
	}
}

// rounds is how many runs of the neighbour have fallen due.
func (s *stage) rounds(r reading) float64 {
	return r[s.beside("runs_total")] + r[s.beside("runs_skipped_total", `,reason="worker"`)] + r[s.beside("runs_skipped_total", `,reason="in_flight"`)]
}

// compareNeighbour holds the neighbour's runs under the fault against those before.
func (s *stage) compareNeighbour() {
	s.Helper()
	if s.moment == atStart {
		return
	}
	s.await("the neighbour goes on", func(reading) bool {
		n := len(s.means)
		if n < neighbourRuns {
			return false
		}
		s.seen.neighbour = figures.Quantile(s.means[n-neighbourRuns:], 0.5) / s.undisturbed
		return s.seen.neighbour <= neighbourBound || n >= mostRuns
	})
	if s.seen.neighbour > neighbourBound {
		s.Errorf("the neighbour takes %.2f of what it took", s.seen.neighbour)
	}
}

// nothingDoubled looks for an operation that was begun beside one that hangs: the DBroot and its bulkRollback may have one each.
func (s *stage) nothingDoubled() {
	s.Helper()
	if s.fs != nil && s.fs.Hanging() > 2 {
		s.Errorf("%d operations hang", s.fs.Hanging())
	}
}

// shutDown ends the daemon, which must not take long whatever the storage does.
func (s *stage) shutDown() {
	s.Helper()
	code, took := s.daemon.stop()
	s.seen.exit = max(s.seen.exit, took)
	if code != 0 || took > exitBound {
		s.Errorf("exit code %d after %s", code, took)
	}
}

// listing is all that lies in the directory.
func (s *stage) listing() (names []string) {
	s.Helper()
	err := filepath.WalkDir(s.files(), func(path string, _ os.DirEntry, err error) error {
		names = append(names, strings.TrimPrefix(path, s.files()))
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return names
}

// nothingLeft compares what lies in the directory with what was found there; a probe file in each measured directory may
// have come.
func (s *stage) nothingLeft(found []string) {
	s.Helper()
	left := slices.DeleteFunc(s.listing(), func(name string) bool {
		return slices.Contains(found, name) || strings.HasSuffix(name, ".probe")
	})
	if len(left) > 0 {
		s.Errorf("left behind: %q", left)
	}
	for _, path := range s.forbidden {
		if entries, err := os.ReadDir(path); err != nil || len(entries) > 0 {
			s.Errorf("written to %s: %v %v", path, entries, err)
		}
	}
}

// noCrash looks for what the runtime writes when a process falls.
func (s *stage) noCrash() {
	s.Helper()
	for _, word := range []string{"panic", "fatal error", "SIGSEGV"} {
		if log := s.daemon.logs.String(); strings.Contains(log, word) && !s.fault.kills {
			s.Errorf("%q in the log", word)
		}
	}
}
