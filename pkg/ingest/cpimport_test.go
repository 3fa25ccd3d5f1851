//go:build linux && mariadb

package ingest_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest"
)

// good is the plan of a cpimport that does its work on this server.
func (b *bed) good() cpimporttest.Plan {
	return cpimporttest.Plan{DSN: b.DSN("root", ""), Stdout: cpimporttest.Success(b.o.Rows)}
}

// standin makes the trials use a stand-in for cpimport, on a table that is seeded.
func (b *bed) standin(t *testing.T, plan cpimporttest.Plan) *cpimporttest.Standin {
	t.Helper()
	b.o.Method = ingest.MethodCpimport
	s := cpimporttest.New(t, "standin", b.good())
	b.o.CpimportPath = s.Path
	b.succeed(t, b.runner(t))
	s.Plan(t, plan)
	return s
}

func TestCpimport(t *testing.T) {
	b := newBed(t)
	b.standin(t, b.good())
	trial := b.succeed(t, b.runner(t))
	if trial.Method != ingest.MethodCpimport || trial.TableRows != 3*few || trial.Rows != few || !(trial.Seconds > 0) {
		t.Errorf("trial %+v", *trial)
	}
	if diff := cmp.Diff(cpimporttest.SuccessSteps(), trial.Steps, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

func TestEachRecordingGivesItsOutcome(t *testing.T) {
	const recordings = "testdata/recordings"
	b := newBed(t)
	standin := b.standin(t, b.good())
	for name, want := range cpimporttest.Recordings() {
		plan := cpimporttest.Replay(t, recordings, name)
		b.o.Rows, b.o.Timeout = want.Rows, time.Minute
		if want.Asked {
			plan.Hang, b.o.Timeout = true, time.Millisecond
		}
		if want.Failure == "" {
			plan.DSN = b.DSN("root", "") // the rows of the recording are loaded
		}
		standin.Plan(t, plan)
		trial, skip := b.trial(t)
		if skip != nil {
			t.Fatalf("%s: skipped: %+v", name, *skip)
		}
		if trial.Failure != want.Failure || (trial.Error == "") != (want.Failure == "") || len(trial.Warnings) != want.Warnings {
			t.Errorf("%s: trial %+v, want failure %q and %d warnings", name, *trial, want.Failure, want.Warnings)
		}
	}
}

func TestFalseSuccess(t *testing.T) {
	b := newBed(t)
	b.standin(t, cpimporttest.Plan{Stdout: cpimporttest.Success(few)})
	if trial := b.fail(t, outcome.RowCount); trial.Rows != 0 || trial.TableRows != 2*few {
		t.Errorf("trial %+v", *trial)
	}
}

func TestMissingCpimport(t *testing.T) {
	b := newBed(t)
	b.standin(t, b.good())
	b.o.CpimportPath = "/nonexistent/cpimport"
	b.fail(t, outcome.Exec)
}

func TestKilledCpimport(t *testing.T) {
	b := newBed(t)
	b.standin(t, cpimporttest.Plan{Signal: syscall.SIGKILL})
	b.fail(t, outcome.Killed)
}

func TestUnknownWordsAreLogged(t *testing.T) {
	b := newBed(t)
	b.standin(t, cpimporttest.Plan{Stdout: "first line\n", Stderr: "the moon is full\n", Status: 1})
	b.fail(t, outcome.OtherFailure)
	logged := b.logs.FilterField(zapOutput("first line\nthe moon is full\n")).Len() + b.logs.FilterField(zapOutput("the moon is full\nfirst line\n")).Len()
	if logged != 1 {
		t.Errorf("%d entries with the full text, want one: %v", logged, b.logs.All())
	}
}

// begun is how often the stand-in was started once the next trial's import runs: the seed and the first trial came before.
const begun = 3

// flights is what OnInFlight was told.
type flights struct {
	mu    sync.Mutex
	times []time.Time
	ended chan struct{} // gets a token at each end
}

func (b *bed) flights(t *testing.T, standin *cpimporttest.Standin) *flights {
	f := &flights{ended: make(chan struct{}, 100)}
	b.o.OnInFlight = func(started time.Time) {
		standin.Await(t, begun)
		f.mu.Lock()
		f.times = append(f.times, started)
		f.mu.Unlock()
		if started.IsZero() {
			f.ended <- struct{}{}
		}
	}
	return f
}

// now returns whether an import is in flight.
func (f *flights) now() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.times) > 0 && !f.times[len(f.times)-1].IsZero()
}

func TestStuckCpimport(t *testing.T) {
	b := newBed(t)
	standin := b.standin(t, cpimporttest.Plan{Hang: true, Linger: 3 * time.Second, Status: 1})
	b.o.Timeout, b.o.Grace = 100*time.Millisecond, 100*time.Millisecond
	flights := b.flights(t, standin)
	r := b.runner(t)
	trial, skip := r.Trial(t.Context())
	if skip != nil || trial.Failure != outcome.Timeout || !strings.Contains(trial.Error, "still running") {
		t.Fatalf("trial %+v, skip %+v, want failure timeout of an import that still runs", trial, skip)
	}
	if _, skip := r.Trial(t.Context()); skip == nil || skip.Reason != outcome.SkipInFlight {
		t.Errorf("skip %+v, want in_flight", skip)
	}
	if !flights.now() {
		t.Error("the stuck import is not in flight")
	}
	<-flights.ended
	standin.Plan(t, b.good())
	b.o.Timeout, b.o.OnInFlight = time.Minute, nil
	for deadline := time.Now().Add(time.Minute); ; { // until the watch has let go
		trial, skip := b.trial(t)
		if skip == nil {
			if trial.Failure != "" {
				t.Errorf("trial after the stuck one: %+v", *trial)
			}
			return
		}
		if (skip.Reason != outcome.SkipInFlight && skip.Reason != outcome.SkipLeftover) || time.Now().After(deadline) {
			t.Fatalf("skip %+v", *skip)
		}
	}
}

func TestCpimportOfEarlierProcess(t *testing.T) {
	b := newBed(t)
	standin := b.standin(t, cpimporttest.Plan{Hang: true, Linger: 2 * time.Second, Status: 1})
	ctx, cancel := context.WithCancel(t.Context())
	flights := b.flights(t, standin)
	started := b.o.OnInFlight
	b.o.OnInFlight = func(at time.Time) { started(at); cancel() }
	b.o.ExitGrace = time.Millisecond
	trial, skip := b.runner(t).Trial(ctx)
	if skip != nil || trial.Failure != outcome.Timeout {
		t.Fatalf("trial %+v, skip %+v, want failure timeout", trial, skip)
	}
	b.o.OnInFlight = nil // what follows is another process's
	if skip := b.skip(t, outcome.SkipLeftover); !strings.Contains(skip.Detail, "process") {
		t.Errorf("skip %+v", *skip)
	}
	<-flights.ended
	standin.Plan(t, b.good())
	b.succeed(t, b.runner(t))
}

func TestFirstProcessWaits(t *testing.T) {
	b := newBed(t)
	const linger = 700 * time.Millisecond
	standin := b.standin(t, cpimporttest.Plan{Hang: true, Linger: linger, Status: 1})
	ctx, cancel := context.WithCancel(t.Context())
	b.o.PID1, b.o.ExitGrace = true, time.Millisecond
	var asked time.Time
	b.o.OnInFlight = func(started time.Time) {
		if !started.IsZero() {
			standin.Await(t, begun)
			asked = time.Now()
			cancel()
		}
	}
	trial, skip := b.runner(t).Trial(ctx)
	if skip != nil || trial.Failure != outcome.Timeout {
		t.Fatalf("trial %+v, skip %+v, want failure timeout", trial, skip)
	}
	if took := time.Since(asked); strings.Contains(trial.Error, "still running") || took < linger {
		t.Errorf("returned after %v: %+v", took, *trial)
	}
}

func TestPrune(t *testing.T) {
	b := newBed(t)
	logs := t.TempDir()
	ours, others := filepath.Join(logs, "Job_1057010570.log"), filepath.Join(logs, "Job_3000.log")
	plan := b.good()
	plan.Stdout = "Log file for this job: " + ours + "\n" + plan.Stdout
	standin := b.standin(t, plan)
	rejected := filepath.Join(b.o.StateDir, "cpimport", "cptest.csv.Job_1057010570_77.bad")
	for _, path := range []string{ours, strings.TrimSuffix(ours, ".log") + ".err", others, rejected} {
		touch(t, path)
	}
	r := b.runner(t)
	b.succeed(t, r)
	if exists(rejected) || !exists(ours) {
		t.Error("rejected rows of the trial before are there, or the log of the last trial is gone")
	}
	plan.Stdout = strings.ReplaceAll(plan.Stdout, ours, others) // a lie, which must not cost anybody's log
	standin.Plan(t, plan)
	b.succeed(t, r)
	b.succeed(t, b.runner(t))
	if exists(ours) || exists(strings.TrimSuffix(ours, ".log")+".err") || !exists(others) {
		t.Error("our own log and errors are there, or another's log is gone")
	}
}

func TestMemory(t *testing.T) {
	b := newBed(t)
	if last := b.runner(t).LastTrial(); !last.IsZero() {
		t.Errorf("last trial %v, want none", last)
	}
	before := time.Now()
	b.succeed(t, b.runner(t))
	if last := b.runner(t).LastTrial(); last.Before(before.Add(-time.Second)) || last.After(time.Now()) {
		t.Errorf("another process knows of a trial at %v, want after %v", last, before)
	}
	if err := os.WriteFile(filepath.Join(b.o.StateDir, "ingest.json"), []byte(`{"last_`), 0o600); err != nil {
		t.Fatal(err)
	}
	b.succeed(t, b.runner(t))
}

func TestOneAtATime(t *testing.T) {
	b := newBed(t)
	var second, third atomic.Pointer[ingest.Skip]
	var r *ingest.Runner
	b.o.OnPhase = func(phase string) {
		if phase == ingest.PhaseImport {
			_, skip := r.Trial(t.Context())
			second.Store(skip)
			other := *b
			other.o.OnPhase = nil
			_, skip = other.trial(t) // as of another process with the same directory
			third.Store(skip)
		}
	}
	r = b.runner(t)
	b.succeed(t, r)
	for _, skip := range []*ingest.Skip{second.Load(), third.Load()} {
		if skip == nil || skip.Reason != outcome.SkipInFlight {
			t.Errorf("skip %+v, want in_flight", skip)
		}
	}
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
