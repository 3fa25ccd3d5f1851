//go:build linux

package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// liveCollector makes the series that change without an event: operations in flight and the requests that they are.
type liveCollector struct {
	inFlight *prometheus.Desc
	info     *prometheus.Desc
	requests [2]*prometheus.Desc

	mu          sync.Mutex
	directories map[*Directory]struct{}
}

func newLiveCollector() *liveCollector {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(prometheus.BuildFQName(namespace, storage, name), help, with(targetLabels, labels...), nil)
	}
	return &liveCollector{
		inFlight: desc("in_flight_start_timestamp_seconds",
			"Start of the oldest operation in flight on the target's path, of any kind (open, stat, read, fsync, unlink, ...); 0 when idle. A hung storage shows here and nowhere else."),
		info: desc("target_info", "What is known of the directory and of the mount under it, always 1. Without a state where the directory cannot be inspected.",
			"name", "state", "fstype", "source", "device", "mountpoint", "network", "io"),
		requests: [2]*prometheus.Desc{
			latency.Read:   desc("read_requests_total", "Reads that were started, warm-ups included."),
			latency.Commit: desc("commit_requests_total", "Commits that were started."),
		},
		directories: make(map[*Directory]struct{}),
	}
}

func (c *liveCollector) add(d *Directory) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.directories[d] = struct{}{}
}

func (c *liveCollector) remove(d *Directory) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.directories, d)
}

// Describe implements prometheus.Collector.
func (c *liveCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.inFlight
	ch <- c.info
	ch <- c.requests[latency.Read]
	ch <- c.requests[latency.Commit]
}

// Collect implements prometheus.Collector.
func (c *liveCollector) Collect(ch chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for d := range c.directories {
		c.collect(d, ch)
	}
}

func (c *liveCollector) collect(d *Directory, ch chan<- prometheus.Metric) {
	name, since, busy := d.inFlight()
	start := 0.0
	if busy {
		start = seconds(since)
	}
	ch <- prometheus.MustNewConstMetric(c.inFlight, prometheus.GaugeValue, start, d.labels...)

	d.mu.Lock()
	defer d.mu.Unlock()
	for op := range c.requests {
		started := d.ops[op].started(busy && name == latency.Op(op).String())
		ch <- prometheus.MustNewConstMetric(c.requests[op], prometheus.CounterValue, float64(started), d.labels...)
	}
	ch <- prometheus.MustNewConstMetric(c.info, prometheus.GaugeValue, 1, with(d.labels, infoValues(d)...)...)
}

// started is the number of requests begun. It never falls: a request that was seen in flight and then died with its worker stays counted.
func (o *opSeries) started(inFlight bool) uint64 {
	n := o.finished
	if inFlight {
		n++
	}
	o.shown = max(o.shown, n)
	return o.shown
}

// infoValues are the values of the info's own labels. A directory that was not or cannot be inspected is neither present nor
// absent, and has no state.
func infoValues(d *Directory) []string {
	f := d.facts
	state := f.State
	if state == topology.StateUnknown {
		state = ""
	}
	values := []string{d.name, string(state), f.FSType, f.Source, f.Device, f.Mountpoint, f.Network, d.io}
	for i, v := range values {
		values[i] = printable(v)
	}
	return values
}
