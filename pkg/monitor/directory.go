//go:build linux

package monitor

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/history"
	"github.com/columnstore/columnstore_exporter/pkg/metrics"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// recentReads is how many latencies are kept for the distribution on the status page: ten runs at the defaults.
const recentReads = 300

// directory is one target with what is known of it.
type directory struct {
	target topology.Target
	opts   *Options
	log    *zap.Logger
	series *metrics.Directory
	// moved asks for a discovery, since the directory is on another mount than before.
	moved func()
	// turn is held by whoever has the worker look at or measure the directory: one at a time.
	turn chan struct{}

	mu      sync.Mutex
	facts   topology.Facts // where the directory was found, which is where it is measured
	seen    topology.Facts // what the last look has shown, which is what is published
	lost    bool           // the directory is no longer on the mount it was found on
	anew    bool           // wherever the next look finds it is where it belongs
	trouble bool           // a run has failed, or the mount has changed, since the last run that measured
	outcome outcome
	day     history.Day
	recent  history.Recent
	skips   map[string]uint64
	fails   map[string]uint64
	runs    uint64
	// requests and missed are of the run under way: the requests that have ended, and the commits among them that failed.
	requests [2]int
	missed   int
	hung     bool // as last logged
	gone     bool // left the configuration: what a look at it still tells is not published
}

func newDirectory(m *Monitor, t topology.Target) *directory {
	d := &directory{
		target: t,
		opts:   &m.opts,
		log:    m.opts.Log.With(zap.String("dbroot", t.DBRoot), zap.String("kind", string(t.Kind)), zap.String("directory", t.Directory)),
		moved:  func() { m.discovery.Trigger(jobDiscovery) },
		turn:   make(chan struct{}, 1),
		recent: history.NewRecent(recentReads),
		skips:  make(map[string]uint64),
		fails:  make(map[string]uint64),
	}
	d.series = m.opts.Storage.Add(t, func() (string, time.Time, bool) {
		op, busy := m.opts.Probes.InFlight(t)
		return op.Name, op.Since, busy
	})
	return d
}

// run is one latency run, from looking at the directory to the last commit.
func (d *directory) run(ctx context.Context, _ time.Time) error {
	if name, busy := d.opts.Lane.Busy(); busy {
		d.skip(reason.SkipTrial, "a trial is under way: "+name)
		return nil
	}
	if !d.take(ctx, time.Second) {
		if ctx.Err() == nil {
			d.skip(reason.SkipInFlight, "an earlier look at the directory has not come back")
		}
		return nil
	}
	defer d.release()
	facts, err := d.inspect(ctx)
	switch {
	case err != nil:
		d.skipFor(ctx, err)
	case d.isLost():
		d.skip(reason.SkipMount, "the directory is no longer on the mount it was found on")
	case facts.State == topology.StateAbsent && facts.Error == "":
		d.skip(reason.SkipAbsent, "there is no such directory")
	case facts.State != topology.StatePresent:
		d.failUnseen(facts)
	default:
		d.measure(ctx, facts)
	}
	return nil
}

// watch logs when an operation begins to hang and when it is over.
func (d *directory) watch() {
	op, hung := d.hanging()
	d.mu.Lock()
	changed := hung != d.hung
	d.hung = hung
	d.mu.Unlock()
	switch {
	case changed && hung:
		d.log.Error("storage does not answer", zap.String("operation", op.Name), zap.Time("since", op.Since))
	case changed:
		d.log.Info("storage answers again")
	}
}

// hanging tells whether an operation has been in flight for baseline.HungAfter or longer.
func (d *directory) hanging() (worker.Operation, bool) {
	op, busy := d.opts.Probes.InFlight(d.target)
	return op, busy && d.opts.Clock().Sub(op.Since) >= baseline.HungAfter
}

// settled tells whether the first round is over for this directory.
func (d *directory) settled() bool {
	_, hung := d.hanging()
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.outcome.result != nil || len(d.skips) > 0 || hung
}

func (d *directory) isLost() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lost
}

func (d *directory) known() topology.Facts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.facts
}

// findAnew lets the next look decide where the directory belongs.
func (d *directory) findAnew() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.anew = true
}

// forget drops the directory's series.
func (d *directory) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gone = true
	d.opts.Storage.Remove(d.series)
	if d.target.Kind == topology.KindBulkRollback {
		d.opts.BulkRollback.Forget(d.target.DBRoot)
	}
	for _, f := range d.opts.Followers {
		f.Remove(d.target)
	}
}
