//go:build linux

package metrics

import (
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

const storage = "storage"

// StorageSettings are the settings that are published beside the figures, as they are part of what the figures mean.
type StorageSettings struct {
	Interval        time.Duration
	RequestInterval time.Duration
	LatencyTarget   time.Duration
}

// Storage holds the series of all directories.
type Storage struct {
	ops         [2]opVectors
	runs        *prometheus.CounterVec
	skipped     *prometheus.CounterVec
	success     *prometheus.GaugeVec
	lastSuccess *prometheus.GaugeVec
	deviceRatio *prometheus.GaugeVec
	live        *liveCollector
}

// opVectors are the series that reads and commits have alike.
type opVectors struct {
	latency  *prometheus.HistogramVec
	squares  *prometheus.CounterVec
	min      *prometheus.GaugeVec
	avg      *prometheus.GaugeVec
	max      *prometheus.GaugeVec
	mdev     *prometheus.GaugeVec
	failures *prometheus.CounterVec
	late     *prometheus.CounterVec
}

// NewStorage registers the series of storage latency with r.
func NewStorage(r prometheus.Registerer, settings StorageSettings) *Storage {
	s := &Storage{
		ops:     [2]opVectors{newOpVectors(r, latency.Read), newOpVectors(r, latency.Commit)},
		runs:    prometheus.NewCounterVec(counter(storage, "runs_total", "Latency runs that were begun."), targetLabels),
		skipped: prometheus.NewCounterVec(counter(storage, "runs_skipped_total", "Latency runs that were due and not begun, by reason."), with(targetLabels, "reason")),
		success: prometheus.NewGaugeVec(gauge(storage, "success",
			"1 when the last run measured, 0 when it failed: no read was counted, or every commit failed. Absent before the first run and for an absent bulkRollback."), targetLabels),
		lastSuccess: prometheus.NewGaugeVec(gauge(storage, "last_success_timestamp_seconds", "When the last run that measured ended."), targetLabels),
		deviceRatio: prometheus.NewGaugeVec(gauge(storage, "read_device_ratio",
			"Bytes that the kernel fetched from storage for the reading thread, divided by the bytes asked for, over the last run: 1 is proven, below 1 came from a cache. Absent where the file system does not account (FUSE)."), targetLabels),
		live: newLiveCollector(),
	}
	r.MustRegister(s.runs, s.skipped, s.success, s.lastSuccess, s.deviceRatio, s.live)
	registerSettings(r, settings)
	return s
}

func registerSettings(r prometheus.Registerer, settings StorageSettings) {
	constant(r, storage, "interval_seconds", "Time from the start of one latency run to the start of the next; 0 means off.", settings.Interval.Seconds())
	constant(r, storage, "request_interval_seconds",
		"Time from the start of one request to the start of the next. It is part of what the latency is: an idle machine has to be woken.", settings.RequestInterval.Seconds())
	constant(r, storage, "latency_target_seconds", "Guideline for the mean read latency.", settings.LatencyTarget.Seconds())
}

func newOpVectors(r prometheus.Registerer, op latency.Op) opVectors {
	name := op.String()
	what := map[latency.Op]string{
		latency.Read:   "reads, of 4 KiB with O_DIRECT unless set otherwise (label io of columnstore_storage_target_info tells the mode really used)",
		latency.Commit: "commits: create, write 4 KiB, fsync and rename of a small file, timed together",
	}[op]
	lastRun := func(figure, help string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(gauge(storage, name+"_run_"+figure+"_seconds", help+" of the last finished run, as ioping defines it. "+strings.ToUpper(what[:1])+what[1:]+"."), targetLabels)
	}
	v := opVectors{
		latency:  prometheus.NewHistogramVec(latencyHistogram(storage, name+"_latency_seconds", "Latency of counted "+what+"; warm-ups and failures are not counted."), targetLabels),
		squares:  prometheus.NewCounterVec(counter(storage, name+"_latency_seconds_squared_total", "Sum of the squared latencies, so that mdev = sqrt(E[x^2] - E[x]^2) is exact over any window."), targetLabels),
		min:      lastRun("min", "Minimum"),
		avg:      lastRun("avg", "Mean"),
		max:      lastRun("max", "Maximum"),
		mdev:     lastRun("mdev", "Population standard deviation"),
		failures: prometheus.NewCounterVec(counter(storage, name+"_failures_total", "Requests, and preparations of a run, that failed, by reason."), with(targetLabels, "reason")),
		late:     prometheus.NewCounterVec(counter(storage, name+"_late_total", "Requests that started more than 10 ms after their time."), targetLabels),
	}
	r.MustRegister(v.latency, v.squares, v.min, v.avg, v.max, v.mdev, v.failures, v.late)
	return v
}

// Add creates the series of a target, counters at 0, and returns the handle that feeds them. inFlight is asked at each
// scrape for the operation under way on the target's path; it must answer from memory.
func (s *Storage) Add(t topology.Target, inFlight func() (name string, since time.Time, ok bool)) *Directory {
	labels := labelsOf(t)
	d := &Directory{storage: s, labels: labels, name: printable(t.Name), inFlight: inFlight, runs: s.runs.WithLabelValues(labels...)}
	for _, r := range reason.LatencySkips() {
		s.skipped.WithLabelValues(with(labels, string(r))...)
	}
	for op := range s.ops {
		d.ops[op] = s.ops[op].resolve(labels)
	}
	s.live.add(d)
	return d
}

// Remove drops every series of the target.
func (s *Storage) Remove(d *Directory) {
	s.live.remove(d)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gone = true
	partial := allOf(d.labels)
	for _, v := range s.ops {
		v.latency.DeletePartialMatch(partial)
		v.squares.DeletePartialMatch(partial)
		v.failures.DeletePartialMatch(partial)
		v.late.DeletePartialMatch(partial)
	}
	s.runs.DeletePartialMatch(partial)
	s.skipped.DeletePartialMatch(partial)
	d.forgetResult()
}

func (v opVectors) resolve(labels []string) opSeries {
	o := opSeries{
		latency:  v.latency.WithLabelValues(labels...),
		squares:  v.squares.WithLabelValues(labels...),
		late:     v.late.WithLabelValues(labels...),
		failures: make(map[reason.Reason]prometheus.Counter, len(reason.All())),
	}
	for _, r := range reason.All() {
		o.failures[r] = v.failures.WithLabelValues(with(labels, string(r))...)
	}
	return o
}

// opSeries are one directory's series of reads or of commits.
type opSeries struct {
	latency  prometheus.Observer
	squares  prometheus.Counter
	late     prometheus.Counter
	failures map[reason.Reason]prometheus.Counter
	finished uint64 // or lost with their worker; guarded by Directory.mu
	shown    uint64 // requests_total as last scraped, guarded by Directory.mu
}

// Directory feeds the series of one target.
type Directory struct {
	storage  *Storage
	labels   []string
	name     string
	inFlight func() (string, time.Time, bool)
	runs     prometheus.Counter

	mu    sync.Mutex
	ops   [2]opSeries
	facts topology.Facts
	io    string
	gone  bool // removed: a run that outlasts its directory leaves no series behind
}

// Sample counts one finished request. It does not allocate.
func (d *Directory) Sample(s latency.Sample) {
	op := &d.ops[s.Op]
	d.mu.Lock()
	op.finished++
	d.mu.Unlock()
	if s.Late() {
		op.late.Inc()
	}
	switch {
	case s.Reason != "":
		op.failures[s.Reason].Inc()
	case !s.WarmUp:
		x := s.Latency.Seconds()
		op.latency.Observe(x)
		op.squares.Add(x * x)
	}
}

// Lose counts a request that was started and died with its worker.
func (d *Directory) Lose(op latency.Op) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ops[op].finished++
}

// Begin counts a run that begins.
func (d *Directory) Begin() { d.runs.Inc() }

// Skip counts a run that was due and not begun; why is one of reason.LatencySkips. An absent directory has no result.
func (d *Directory) Skip(why reason.Skip) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gone {
		return
	}
	d.storage.skipped.WithLabelValues(with(d.labels, string(why))...).Inc()
	if why == reason.SkipAbsent {
		d.forgetResult()
	}
}

// Result publishes a finished run's figures.
func (d *Directory) Result(r latency.Result, success bool, ended time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gone {
		return
	}
	for op, failure := range []reason.Reason{latency.Read: r.ReadFailure, latency.Commit: r.CommitFailure} {
		if failure != "" {
			d.ops[op].failures[failure].Inc()
		}
	}
	d.storage.ops[latency.Read].publish(d.labels, r.Read)
	d.storage.ops[latency.Commit].publish(d.labels, r.Commit)
	if r.DeviceRatio != nil {
		d.storage.deviceRatio.WithLabelValues(d.labels...).Set(*r.DeviceRatio)
	} else {
		d.storage.deviceRatio.DeleteLabelValues(d.labels...)
	}
	if r.IO != "" {
		d.io = r.IO
	}
	d.outcome(success, ended)
}

func (d *Directory) outcome(success bool, ended time.Time) {
	if !success {
		d.storage.success.WithLabelValues(d.labels...).Set(0)
		return
	}
	d.storage.success.WithLabelValues(d.labels...).Set(1)
	d.storage.lastSuccess.WithLabelValues(d.labels...).Set(seconds(ended))
}

func (v opVectors) publish(labels []string, s latency.Stats) {
	if s.Count == 0 {
		return
	}
	v.min.WithLabelValues(labels...).Set(s.Min)
	v.avg.WithLabelValues(labels...).Set(s.Avg())
	v.max.WithLabelValues(labels...).Set(s.Max)
	v.mdev.WithLabelValues(labels...).Set(s.Mdev())
}

// Facts publishes what is known of the directory and its mount.
func (d *Directory) Facts(f topology.Facts) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.facts = f
}

// forgetResult removes the gauges that describe a result.
func (d *Directory) forgetResult() {
	for _, v := range d.storage.ops {
		for _, g := range []*prometheus.GaugeVec{v.min, v.avg, v.max, v.mdev} {
			g.DeleteLabelValues(d.labels...)
		}
	}
	for _, g := range []*prometheus.GaugeVec{d.storage.success, d.storage.lastSuccess, d.storage.deviceRatio} {
		g.DeleteLabelValues(d.labels...)
	}
}
