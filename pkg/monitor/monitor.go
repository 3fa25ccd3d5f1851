//go:build linux

// Package monitor keeps the directories in step with the topology, gives each its latency runs on schedule in its worker,
// and turns what comes back into series and into the picture of the status page.
package monitor

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/metrics"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/schedule"
	"github.com/columnstore/columnstore_exporter/pkg/tasks"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// Probes is what a monitor asks of the worker processes. Every method but InFlight may take for ever, until its context ends.
type Probes interface {
	// Discover reads the configuration, in bounded time. With an error it may still return a part.
	Discover(ctx context.Context) (topology.Topology, error)
	// Inspect looks at the target's directory. Its errors are worker.ErrInFlight and worker.ErrWorker; what is wrong with
	// the directory is in the facts.
	Inspect(ctx context.Context, t topology.Target) (topology.Facts, error)
	// Latency does one run on the mount that spec names; onSample must not block.
	Latency(ctx context.Context, t topology.Target, spec latency.Spec, onSample func(latency.Sample)) (latency.Result, error)
	// Entries counts the tables that have an entry in a bulkRollback directory.
	Entries(ctx context.Context, p tasks.Place) (int, error)
	// Free returns the free bytes of the fullest of the file systems under the places.
	Free(ctx context.Context, places []tasks.Place) (int64, error)
	// InFlight tells from memory which operation is under way on the target's path.
	InFlight(t topology.Target) (worker.Operation, bool)
	// Retain lets the workers end that serve none of these places.
	Retain(places []tasks.Place)
}

// Follower keeps something for each directory.
type Follower interface {
	Add(t topology.Target)
	Remove(t topology.Target)
}

// Options are what a monitor is made of. All are needed but Followers and Clock.
type Options struct {
	Probes       Probes
	Storage      *metrics.Storage
	BulkRollback *metrics.BulkRollback
	// Followers are told of each directory that comes and goes. They must not block.
	Followers []Follower
	// Lag is told how late each request started.
	Lag func(time.Duration)
	// Restarted is told when the named job is restarted after an error: discovery, latency.
	Restarted func(job string)
	// Lane is held by heavy trials; latency runs that are due meanwhile are skipped.
	Lane *schedule.Lane
	// Spec is what every run measures; Directory and Mount are filled in.
	Spec latency.Spec
	// Interval is from start to start of a run; 0 means no runs.
	Interval time.Duration
	// DiscoveryInterval is from start to start of a discovery.
	DiscoveryInterval time.Duration
	Log               *zap.Logger
	// Clock tells the wall clock's time; nil means time.Now.
	Clock func() time.Time
}

// The names of the jobs, as the label job has them.
const (
	jobDiscovery = "discovery"
	jobLatency   = "latency"
	jobWatch     = "watch"
)

// Jobs returns the names under which a monitor reports restarts.
func Jobs() []string { return []string{jobDiscovery, jobLatency, jobWatch} }

// Monitor watches all directories of this node.
type Monitor struct {
	opts      Options
	discovery *schedule.Group
	runs      *schedule.Group

	mu          sync.Mutex
	directories map[string]*directory // by the target's key
	topology    topology.Topology
	discovered  bool
	trouble     string // the error of the last discovery
	twinsLogged []string
	watched     time.Time // when watch last went round
}

// New returns a monitor that does nothing yet.
func New(opts Options) *Monitor {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	m := &Monitor{opts: opts, directories: make(map[string]*directory)}
	m.discovery = schedule.NewGroup(schedule.Options{Clock: opts.Clock, Log: opts.Log, OnRestart: opts.Restarted})
	m.runs = schedule.NewGroup(schedule.Options{
		Clock: opts.Clock, Log: opts.Log, OnSkip: m.overlapped, OnRestart: func(string) { opts.Restarted(jobLatency) },
	})
	return m
}

// Start begins discovery, and with it the runs.
func (m *Monitor) Start() error {
	return errors.Join(
		m.discovery.Add(schedule.Job{
			Name: jobDiscovery, Interval: m.opts.DiscoveryInterval, Run: m.discover,
			Phase: schedule.Phase(m.opts.Spec.Host, jobDiscovery, m.opts.DiscoveryInterval),
		}),
		m.discovery.Add(schedule.Job{Name: jobWatch, Interval: time.Second, Run: m.watch}),
	)
}

// Rediscover asks for a discovery now, as if for the first time: wherever a directory lies now is where it was found.
func (m *Monitor) Rediscover() {
	for _, d := range m.all() {
		d.findAnew()
	}
	m.discovery.Trigger(jobDiscovery)
}

// Free returns the free bytes of the fullest file system with a DBroot on it.
func (m *Monitor) Free(ctx context.Context) (int64, error) {
	var places []tasks.Place
	for _, d := range m.all() {
		if facts := d.known(); d.target.Kind == topology.KindDBRoot && facts.State == topology.StatePresent {
			places = append(places, d.on(facts.Mount))
		}
	}
	return m.opts.Probes.Free(ctx, places)
}

// Stop ends everything and waits for it, at most for the bound.
func (m *Monitor) Stop(bound time.Duration) {
	deadline := time.Now().Add(bound)
	m.discovery.Stop(bound)
	m.runs.Stop(time.Until(deadline))
}

// discover brings the directories in step with the configuration. When that cannot be read, the last good copy serves.
func (m *Monitor) discover(ctx context.Context, _ time.Time) error {
	found, err := m.opts.Probes.Discover(ctx)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the monitor ends
	}
	m.note(err)
	if err == nil || !m.serving() && len(found.Targets) > 0 {
		m.adopt(found)
	}
	m.inspectAll(ctx)
	return err
}

func (m *Monitor) serving() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.directories) > 0
}

// note remembers the trouble of a discovery, and logs its end; the supervisor logs the trouble itself.
func (m *Monitor) note(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	m.mu.Lock()
	over := m.trouble != "" && text == ""
	m.trouble = text
	m.mu.Unlock()
	if over {
		m.opts.Log.Info("discovery is well again")
	}
}

// adopt adds the targets that are new and removes those that left.
func (m *Monitor) adopt(found topology.Topology) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.logFindings(found)
	m.topology, m.discovered = found, true
	wanted := make(map[string]bool, len(found.Targets))
	for i, planned := range found.Targets {
		key := planned.Target.Key()
		wanted[key] = true
		if m.directories[key] == nil {
			m.add(planned.Target, time.Second*time.Duration(i)/time.Duration(len(found.Targets)))
		}
	}
	for key, d := range m.directories {
		if !wanted[key] {
			m.drop(key, d)
		}
	}
}

// logFindings logs what the operator should know and was not told before. Callers hold m.mu.
func (m *Monitor) logFindings(found topology.Topology) {
	for _, note := range found.Notes {
		if !slices.Contains(m.topology.Notes, note) {
			m.opts.Log.Warn("discovery notes", zap.String("note", note))
		}
	}
	for _, i := range found.Ignored {
		if !slices.Contains(m.topology.Ignored, i) {
			level := zap.InfoLevel
			if i.Mistake {
				level = zap.WarnLevel
			}
			m.opts.Log.Log(level, "not probed", zap.String("element", i.Element), zap.String("value", i.Value), zap.String("why", i.Reason))
		}
	}
}

// add begins to probe a target; first is the delay of its first run. Callers hold m.mu.
func (m *Monitor) add(t topology.Target, first time.Duration) {
	d := newDirectory(m, t)
	m.directories[t.Key()] = d
	for _, f := range m.opts.Followers {
		f.Add(t)
	}
	d.log.Info("directory added")
	if m.opts.Interval == 0 {
		return
	}
	err := m.runs.Add(schedule.Job{
		Name: t.Key(), Interval: m.opts.Interval, First: first, Run: d.run,
		Phase: schedule.Phase(m.opts.Spec.Host, t.Key(), m.opts.Interval),
	})
	if err != nil && !errors.Is(err, schedule.ErrStopped) {
		d.log.Error("directory is not scheduled", zap.Error(err))
	}
}

// drop stops probing a target and removes its series. Callers hold m.mu.
func (m *Monitor) drop(key string, d *directory) {
	m.runs.Remove(key)
	d.forget()
	delete(m.directories, key)
	d.log.Info("directory left")
}

// inspectAll looks at all directories side by side and waits for none that hangs: the look goes on in its worker.
func (m *Monitor) inspectAll(ctx context.Context) {
	var places []tasks.Place
	for _, d := range m.all() {
		go d.inspectBetweenRuns(ctx)
		places = append(places, d.on(d.known().Mount))
	}
	m.opts.Probes.Retain(places)
}

// all returns the directories in the order of their targets.
func (m *Monitor) all() []*directory {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]*directory, 0, len(m.directories))
	for _, d := range m.directories {
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b *directory) int { return a.target.Compare(b.target) })
	return out
}

// overlapped is told that a run was due while the earlier one was under way.
func (m *Monitor) overlapped(job string, _ time.Time) {
	m.mu.Lock()
	d := m.directories[job]
	m.mu.Unlock()
	if d != nil {
		d.skip(reason.SkipInFlight, "the earlier run has not come back")
	}
}
