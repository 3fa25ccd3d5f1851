package schedule_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/columnstore/columnstore_exporter/pkg/schedule"
)

// diary notes what happens in a group, and when, in time since the diary was begun.
type diary struct {
	begun time.Time

	mu      sync.Mutex
	entries []string
}

func newDiary() *diary { return &diary{begun: time.Now()} }

func (d *diary) note(what string, due time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	entry := fmt.Sprintf("%s %s", time.Since(d.begun), what)
	if !due.IsZero() && !due.Equal(time.Now()) {
		entry += fmt.Sprintf(" due %s", due.Sub(d.begun))
	}
	d.entries = append(d.entries, entry)
}

// group returns a group that writes into the diary.
func (d *diary) group() *schedule.Group {
	return schedule.NewGroup(schedule.Options{
		OnSkip:    func(job string, due time.Time) { d.note("skip "+job, due) },
		OnRestart: func(job string) { d.note("restart "+job, time.Time{}) },
	})
}

// lasting returns a run that takes so long, one value after the other and the last one for ever.
func (d *diary) lasting(durations ...time.Duration) func(context.Context, time.Time) error {
	return func(ctx context.Context, due time.Time) error {
		d.note("run", due)
		lasts := durations[0]
		if len(durations) > 1 {
			durations = durations[1:]
		}
		select {
		case <-time.After(lasts):
		case <-ctx.Done():
			d.note("cancelled", time.Time{})
		}
		return nil
	}
}

func (d *diary) check(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	if diff := cmp.Diff(want, d.entries); diff != "" {
		t.Errorf("what happened (-want +got):\n%s", diff)
	}
}

// add adds a job that must be accepted.
func add(t *testing.T, g *schedule.Group, job schedule.Job) {
	t.Helper()
	if err := g.Add(job); err != nil {
		t.Fatal(err)
	}
}

func TestGrid(t *testing.T) {
	const s = time.Second
	// A bubble's clock begins at midnight UTC, which every interval used here divides.
	for _, test := range []struct {
		name   string
		job    schedule.Job
		lasts  []time.Duration
		until  time.Duration
		events []string
	}{
		{
			name: "first at once, then on the phase",
			job:  schedule.Job{First: 500 * time.Millisecond, Phase: 20 * s}, lasts: []time.Duration{s}, until: 150 * s,
			events: []string{"500ms run", "20s run", "1m20s run", "2m20s run"},
		},
		{
			name: "no first run",
			job:  schedule.Job{First: -1, Phase: 20 * s}, lasts: []time.Duration{s}, until: 90 * s,
			events: []string{"20s run", "1m20s run"},
		},
		{
			name: "the grid comes before the first run",
			job:  schedule.Job{First: 30 * s, Phase: 20 * s}, lasts: []time.Duration{s}, until: 90 * s,
			events: []string{"20s run", "1m20s run"},
		},
		{
			name: "grid begins now",
			job:  schedule.Job{First: -1}, lasts: []time.Duration{s}, until: 70 * s,
			events: []string{"0s run", "1m0s run"},
		},
		{
			name: "the first run stands for a time of the grid that comes meanwhile",
			job:  schedule.Job{Phase: 20 * s}, lasts: []time.Duration{35 * s}, until: 90 * s,
			events: []string{"0s run", "1m20s run"},
		},
		{
			name: "a hung run skips each of its times when it comes, and nothing is made up for",
			job:  schedule.Job{Phase: 20 * s}, lasts: []time.Duration{s, 130 * s, s}, until: 210 * s,
			events: []string{"0s run", "20s run", "1m20s skip job", "2m20s skip job", "3m20s run"},
		},
		{
			name: "a hung first run skips from its second time on",
			job:  schedule.Job{Phase: 20 * s}, lasts: []time.Duration{1000 * s}, until: 150 * s,
			events: []string{"0s run", "1m20s skip job", "2m20s skip job"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDiary()
				g := d.group()
				test.job.Name, test.job.Interval, test.job.Run = "job", time.Minute, d.lasting(test.lasts...)
				add(t, g, test.job)
				time.Sleep(test.until)
				d.check(t, test.events...)
				g.Stop(time.Hour)
			})
		})
	}
}

func TestGridIsFoundAgainWhateverTheTime(t *testing.T) {
	for _, wall := range []time.Time{time.Unix(1_800_000_007, 5), time.Unix(-100, 0), time.Unix(0, 0), time.Unix(20, 0)} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			due := make(chan time.Duration, 1)
			g := schedule.NewGroup(schedule.Options{Clock: func() time.Time { return wall }})
			note := func(_ context.Context, at time.Time) error { due <- at.Sub(begun); return nil }
			add(t, g, schedule.Job{Name: "job", Interval: time.Minute, Phase: 20 * time.Second, First: -1, Run: note})
			after := <-due
			if into := wall.Add(after).UnixNano() - int64(20*time.Second); into%int64(time.Minute) != 0 || after >= time.Minute {
				t.Errorf("at %s the grid begins after %s", wall, after)
			}
			g.Stop(time.Hour)
		})
	}
}

func TestStepsOfTheWallClockDoNotMoveTheGrid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		var step time.Duration
		readings := 0
		g := schedule.NewGroup(schedule.Options{Clock: func() time.Time { readings++; return time.Now().Add(step) }})
		add(t, g, schedule.Job{Name: "job", Interval: time.Minute, Phase: 10 * time.Second, First: -1, Run: d.lasting(0)})
		time.Sleep(time.Minute)
		step = -10 * time.Hour
		time.Sleep(time.Minute)
		d.check(t, "10s run", "1m10s run")
		if readings != 1 {
			t.Errorf("wall clock was read %d times, want once", readings)
		}
		g.Stop(time.Hour)
	})
}

func TestFailuresAreTriedAgainAndTouchNoOther(t *testing.T) {
	failures := map[string]func() error{
		"error": func() error { return errors.New("no luck") },
		"panic": func() error { panic("no luck") },
	}
	for name, fail := range failures {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				core, logs := observer.New(zap.WarnLevel)
				d := newDiary()
				neighbour := newDiary()
				g := schedule.NewGroup(schedule.Options{Log: zap.New(core), OnRestart: func(job string) { d.note("restart "+job, time.Time{}) }})
				tries := 0
				add(t, g, schedule.Job{Name: "bad", Interval: time.Minute, Phase: 10 * time.Second, Run: func(_ context.Context, due time.Time) error {
					d.note("run", due)
					tries++
					if tries > 5 {
						return nil
					}
					return fail()
				}})
				add(t, g, schedule.Job{Name: "good", Interval: time.Minute, First: -1, Run: neighbour.lasting(0)})
				time.Sleep(125 * time.Second)
				d.check(t,
					"0s run", "0s restart bad", "1s run", "1s restart bad", "3s run", "3s restart bad", "7s run", "7s restart bad",
					"10s run", "10s restart bad", // the grid came before the 8 s were over
					"26s run", "1m10s run")
				neighbour.check(t, "0s run", "1m0s run", "2m0s run")
				if entry := logs.All()[0]; entry.Message != "job failed" || !strings.Contains(fmt.Sprint(entry.ContextMap()["error"]), "no luck") {
					t.Errorf("logged %v", entry)
				}
				g.Stop(time.Hour)
			})
		})
	}
}

func TestTrigger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		g := d.group()
		add(t, g, schedule.Job{Name: "job", Interval: time.Minute, Phase: 40 * time.Second, First: -1, Run: d.lasting(5 * time.Second)})
		time.Sleep(10 * time.Second)
		g.Trigger("job")
		time.Sleep(time.Second)
		g.Trigger("job") // under way
		if g.Trigger("other") {
			t.Error("triggered a job that is not there")
		}
		time.Sleep(time.Minute)
		d.check(t, "10s run", "40s run")
		g.Stop(time.Hour)
	})
}

func TestWithoutAnIntervalAJobRunsWhenItIsTriggered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		g := d.group()
		tries := 0
		add(t, g, schedule.Job{Name: "job", Run: func(_ context.Context, due time.Time) error {
			d.note("run", due)
			tries++
			if tries == 1 {
				return errors.New("no luck")
			}
			return nil
		}})
		time.Sleep(10 * 365 * 24 * time.Hour)
		g.Trigger("job")
		time.Sleep(time.Hour)
		g.Trigger("job")
		d.check(t, "87600h0m0s run", "87600h0m0s restart job", "87600h0m1s run", "87601h0m0s run")
		g.Stop(time.Hour)
	})
}

func TestJobsComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		g := d.group()
		job := schedule.Job{Name: "job", Interval: time.Minute, First: -1, Run: d.lasting(time.Hour)}
		add(t, g, job)
		time.Sleep(10 * time.Second)
		if err := g.Add(job); err == nil {
			t.Error("two jobs of one name were accepted")
		}
		if !g.Remove("job") || g.Remove("job") {
			t.Error("job was not removed once")
		}
		time.Sleep(time.Hour)
		add(t, g, job)
		time.Sleep(time.Minute)
		d.check(t, "0s run", "10s cancelled", "1h1m0s run")
		g.Stop(time.Hour)
	})
}

func TestBadJobsAreRefused(t *testing.T) {
	run := func(context.Context, time.Time) error { return nil }
	g := schedule.NewGroup(schedule.Options{})
	for want, job := range map[string]schedule.Job{
		"without a name":  {Interval: time.Second, Run: run},
		"nothing to run":  {Name: "job", Interval: time.Second},
		"-1s is negative": {Name: "job", Interval: -time.Second, Run: run},
	} {
		if err := g.Add(job); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
	g.Stop(time.Hour)
	if err := g.Add(schedule.Job{Name: "job", Interval: time.Second, Run: run}); !errors.Is(err, schedule.ErrStopped) {
		t.Errorf("error %v, want ErrStopped", err)
	}
}

func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		g := d.group()
		add(t, g, schedule.Job{Name: "obedient", Interval: time.Minute, Run: d.lasting(time.Hour)})
		time.Sleep(time.Second)
		begun := time.Now()
		if !g.Stop(time.Hour) || time.Since(begun) != 0 {
			t.Errorf("group of a job that obeys did not end at once, but after %s", time.Since(begun))
		}
		d.check(t, "0s run", "1s cancelled")
	})
	synctest.Test(t, func(t *testing.T) {
		g := schedule.NewGroup(schedule.Options{})
		add(t, g, schedule.Job{Name: "deaf", Interval: time.Minute, Run: func(context.Context, time.Time) error {
			time.Sleep(time.Hour)
			return errors.New("too late")
		}})
		time.Sleep(time.Second)
		begun := time.Now()
		if g.Stop(2*time.Second) || time.Since(begun) != 2*time.Second {
			t.Errorf("group of a deaf job ended after %s, want the bound of 2s", time.Since(begun))
		}
		time.Sleep(2 * time.Hour) // the bubble waits for all that was begun in it
	})
}

func TestTimesThatPassedWhileTheProcessWasStoppedAreSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// A callback that blocks stands for the stop: the job's clockwork does not run meanwhile.
		d := newDiary()
		stopped := false
		g := schedule.NewGroup(schedule.Options{OnSkip: func(job string, due time.Time) {
			d.note("skip "+job, due)
			if !stopped {
				stopped = true
				time.Sleep(3*time.Minute + 10*time.Second)
			}
		}})
		add(t, g, schedule.Job{Name: "job", Interval: time.Minute, First: -1, Run: d.lasting(90*time.Second, 0)})
		time.Sleep(5*time.Minute + time.Second)
		d.check(t, "0s run", "1m0s skip job", "4m10s skip job due 2m0s", "4m10s skip job due 3m0s", "4m10s run due 4m0s", "5m0s run")
		g.Stop(time.Hour)
	})
}

func TestManyJobsRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const jobs = 1000
		g := schedule.NewGroup(schedule.Options{})
		var mu sync.Mutex
		var starts []time.Duration
		begun := time.Now()
		note := func(context.Context, time.Time) error {
			mu.Lock()
			defer mu.Unlock()
			starts = append(starts, time.Since(begun))
			return nil
		}
		for i := range jobs {
			name := strconv.Itoa(i)
			phase := schedule.Phase("pm1", name, time.Minute)
			add(t, g, schedule.Job{Name: name, Interval: time.Minute, Phase: phase, First: -1, Run: note})
		}
		time.Sleep(time.Minute - 1)
		synctest.Wait()
		if len(starts) != jobs || !slices.IsSorted(starts) {
			t.Errorf("%d of %d jobs ran in the first minute", len(starts), jobs)
		}
		g.Stop(time.Hour)
	})
}
