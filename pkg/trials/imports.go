//go:build linux

package trials

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/metrics"
	"github.com/columnstore/columnstore_exporter/pkg/schedule"
	"github.com/columnstore/columnstore_exporter/pkg/status"
)

const (
	// healthInterval is how often the database is asked how it is.
	healthInterval = 15 * time.Second
	// kept is how many finished trials the status page shows.
	kept = 20
)

// Importer is the part of ingest.Runner that is needed.
type Importer interface {
	Trial(ctx context.Context) (*ingest.Trial, *ingest.Skip)
	Health(ctx context.Context) ingest.Database
	LastTrial() time.Time
}

// ImportOptions are what import trials need. All are needed but Clock.
type ImportOptions struct {
	Importer Importer
	Ingest   *metrics.Ingest
	Database *metrics.Database
	// Restarted is told when the named job is restarted after an error.
	Restarted func(job string)
	// Lane is held during a trial.
	Lane *schedule.Lane
	// Means returns the latencies that are measured now, nil where they are not complete.
	Means func() *baseline.Means
	Host  string
	// Interval is from start to start of a trial; 0 means that they run only when asked for.
	Interval time.Duration
	Log      *zap.Logger
	// Clock tells the wall clock's time; nil means time.Now.
	Clock func() time.Time
}

// Imports runs the trials of this node.
type Imports struct {
	opts ImportOptions
	jobs *schedule.Group

	mu      sync.Mutex
	picture status.Ingest
}

// NewImports returns imports that do nothing yet.
func NewImports(opts ImportOptions) *Imports {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	i := &Imports{
		opts:    opts,
		picture: status.Ingest{IntervalSeconds: opts.Interval.Seconds(), Skipped: map[string]uint64{}, Failed: map[string]uint64{}},
	}
	i.jobs = schedule.NewGroup(schedule.Options{Clock: opts.Clock, Log: opts.Log, OnRestart: opts.Restarted, OnSkip: i.miss})
	return i
}

// Start begins to ask the database, and to run trials: the first one minute after the start, unless one ran within the
// interval.
func (i *Imports) Start() error {
	interval, now := i.opts.Interval, i.opts.Clock()
	return errors.Join(
		i.jobs.Add(schedule.Job{Name: jobHealth, Interval: healthInterval, Run: i.health}),
		i.jobs.Add(schedule.Job{
			Name: jobImport, Interval: interval, Phase: schedule.Phase(i.opts.Host, jobImport, interval), Run: i.trial,
			First: ingest.NextDue(now, i.opts.Importer.LastTrial(), interval).Sub(now),
		}),
	)
}

// Trigger asks for a trial now; while one is under way that is no second one.
func (i *Imports) Trigger() { i.jobs.Trigger(jobImport) }

// Stop ends everything and waits for it, at most for the bound; the import itself may go on without the exporter.
func (i *Imports) Stop(bound time.Duration) { i.jobs.Stop(bound) }

func (i *Imports) health(ctx context.Context, _ time.Time) error {
	if d := i.opts.Importer.Health(ctx); ctx.Err() == nil && !d.Time.IsZero() {
		i.opts.Database.Publish(d)
	}
	return nil
}

// trial runs one trial. It waits for other heavy work to end.
func (i *Imports) trial(ctx context.Context, _ time.Time) error {
	release, err := i.opts.Lane.Acquire(ctx, laneImport)
	if err != nil {
		return nil
	}
	defer release()
	means := i.opts.Means()
	trial, skip := i.opts.Importer.Trial(ctx)
	switch {
	case skip != nil:
		i.skip(*skip)
	case trial != nil:
		i.finish(WithMeans(*trial, means))
	}
	return nil
}

// WithMeans is the trial with the latencies that were measured when it ran. Only cpimport pays them as the predictions say.
func WithMeans(t ingest.Trial, means *baseline.Means) status.Trial {
	if t.Method != ingest.MethodCpimport {
		means = nil
	}
	return status.Trial{Trial: t, Means: means}
}

// miss counts a trial whose time came while the one before was under way.
func (i *Imports) miss(job string, _ time.Time) {
	if job == jobImport {
		i.skip(ingest.Skip{Reason: outcome.SkipInFlight, Detail: "the trial before has not ended"})
	}
}

func (i *Imports) skip(s ingest.Skip) {
	i.opts.Log.Info("import trial skipped", zap.String("reason", string(s.Reason)), zap.String("detail", s.Detail))
	i.opts.Ingest.Skip(s.Reason)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.picture.Skipped[string(s.Reason)]++
	i.picture.LastSkip = s.Detail
}

func (i *Imports) finish(t status.Trial) {
	now := i.opts.Clock()
	i.opts.Ingest.Trial(t.Trial, now)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.picture.LastSkip = ""
	i.picture.Trials = append(i.picture.Trials, t)
	i.picture.Trials = i.picture.Trials[max(0, len(i.picture.Trials)-kept):]
	if t.Failure != "" {
		i.picture.Failed[string(t.Failure)]++
		i.opts.Log.Warn("import trial failed", zap.String("reason", string(t.Failure)), zap.String("method", t.Method), zap.String("trouble", t.Error))
		return
	}
	i.picture.LastSuccess = &now
	i.opts.Log.Info("import trial", zap.String("method", t.Method), zap.Float64("seconds", t.Seconds), zap.Int64("rows", t.Rows), zap.Any("steps", t.Steps))
}

// InFlight notes the start of an import, the zero time when it has ended.
func (i *Imports) InFlight(started time.Time) {
	i.opts.Ingest.InFlight(started)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.picture.InFlight = nil
	if !started.IsZero() {
		i.picture.InFlight = &started
	}
}

// Fill writes what is known of the trials into the picture.
func (i *Imports) Fill(s *status.Snapshot) {
	i.mu.Lock()
	defer i.mu.Unlock()
	p := i.picture
	p.Trials = append([]status.Trial(nil), p.Trials...)
	p.Skipped, p.Failed = maps.Clone(p.Skipped), maps.Clone(p.Failed)
	s.Ingest = &p
}
