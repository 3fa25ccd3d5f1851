//go:build linux

package metrics

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

const streaming = "throughput"

// The values of the label direction.
const (
	reading = "read"
	writing = "write"
)

// Throughput holds the series of the throughput tests.
type Throughput struct {
	runs, failures, skipped *prometheus.CounterVec
	lastSuccess             *prometheus.GaugeVec
	seeks                   *prometheus.GaugeVec
	// The rates have the labels test and direction, the shares of time the label test.
	rates, coreRates *prometheus.GaugeVec
	cpu, iowait, crc *prometheus.GaugeVec
	device           deviceVectors
	nfs              nfsVectors

	mu sync.Mutex
	// targets are the directories that are there. A run that outlasts its directory leaves no series behind.
	targets map[string]topology.Target
}

// NewThroughput registers the series of throughput tests with r. Interval is the time from the start of one run to the
// start of the next, 0 for off.
func NewThroughput(r prometheus.Registerer, interval time.Duration) *Throughput {
	t := &Throughput{
		runs:        counterVec(r, "runs_total", "Throughput runs that were begun.", targetLabels...),
		failures:    counterVec(r, "failures_total", "Throughput tests that failed, by reason.", with(targetLabels, "reason")...),
		skipped:     counterVec(r, "skipped_total", "Throughput runs that were due and not begun, by reason.", with(targetLabels, "reason")...),
		lastSuccess: gaugeVec(r, "last_success_timestamp_seconds", "When the last run without a failure ended.", targetLabels...),
		seeks:       gaugeVec(r, "seeks_per_second", "Blocks per second that skipread read, none next to the one before.", targetLabels...),
		rates:       gaugeVec(r, "bytes_per_second", "Throughput of the last run over all threads.", perDirection()...),
		coreRates:   gaugeVec(r, "core_bytes_per_second", "Throughput of the last run per thread, of which there is one a physical core.", perDirection()...),
		cpu:         gaugeVec(r, "cpu_ratio", "Processor time of the test, as a share of one core-second per thread-second.", perTest()...),
		iowait:      gaugeVec(r, "iowait_ratio", "Time in which threads waited for storage, as a share of one core-second per thread-second.", perTest()...),
		crc:         gaugeVec(r, "crc_ratio", "Processor time for checksums, as a share of one core-second per thread-second.", perTest()...),
		device:      newDeviceVectors(r),
		nfs:         newNFSVectors(r),
		targets:     make(map[string]topology.Target),
	}
	constant(r, streaming, "interval_seconds", "Time from the start of one throughput run to the start of the next; 0 means off.", interval.Seconds())
	constant(r, streaming, "core_minimum_bytes_per_second", "Guideline: what a core needs at least, reading and writing.", throughput.CoreMinimum)
	constant(r, streaming, "core_recommended_bytes_per_second", "Guideline: what a core should have, reading and writing.", throughput.CoreRecommended)
	return t
}

func perTest() []string      { return with(targetLabels, "test") }
func perDirection() []string { return with(targetLabels, "test", "direction") }

func gaugeVec(r prometheus.Registerer, name, help string, labels ...string) *prometheus.GaugeVec {
	v := prometheus.NewGaugeVec(gauge(streaming, name, help), labels)
	r.MustRegister(v)
	return v
}

func counterVec(r prometheus.Registerer, name, help string, labels ...string) *prometheus.CounterVec {
	v := prometheus.NewCounterVec(counter(streaming, name, help), labels)
	r.MustRegister(v)
	return v
}

// Add creates the counters of a target at 0.
func (t *Throughput) Add(target topology.Target) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.targets[target.Key()] = target
	labels := labelsOf(target)
	t.runs.WithLabelValues(labels...)
	for _, r := range reason.All() {
		t.failures.WithLabelValues(with(labels, string(r))...)
	}
	for _, why := range reason.ThroughputSkips() {
		t.skipped.WithLabelValues(with(labels, string(why))...)
	}
}

// Remove drops every series of a target.
func (t *Throughput) Remove(target topology.Target) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.targets, target.Key())
	partial := allOf(labelsOf(target))
	for _, v := range []*prometheus.CounterVec{t.runs, t.failures, t.skipped} {
		v.DeletePartialMatch(partial)
	}
	for _, v := range t.gauges() {
		v.DeletePartialMatch(partial)
	}
}

func (t *Throughput) gauges() []*prometheus.GaugeVec {
	all := []*prometheus.GaugeVec{t.lastSuccess, t.seeks, t.rates, t.coreRates, t.cpu, t.iowait, t.crc}
	return append(append(all, t.device.all()...), t.nfs.all()...)
}

// Begin counts a run that begins.
func (t *Throughput) Begin(target topology.Target) {
	t.of(target, func(labels []string) { t.runs.WithLabelValues(labels...).Inc() })
}

// of publishes something of a target, unless the target has left.
func (t *Throughput) of(target topology.Target, publish func(labels []string)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, there := t.targets[target.Key()]; there {
		publish(labelsOf(target))
	}
}

// Skip counts a run that was due and not begun; why is one of reason.ThroughputSkips.
func (t *Throughput) Skip(target topology.Target, why reason.Skip) {
	t.of(target, func(labels []string) { t.skip(labels, why) })
}

func (t *Throughput) skip(labels []string, why reason.Skip) {
	t.skipped.WithLabelValues(with(labels, string(why))...).Inc()
}

// SkipAll counts a run over all directories that was due and not begun.
func (t *Throughput) SkipAll(why reason.Skip) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, target := range t.targets {
		t.skip(labelsOf(target), why)
	}
}

// Outcome publishes a finished run.
func (t *Throughput) Outcome(target topology.Target, o throughput.Outcome, ended time.Time) {
	t.of(target, func(labels []string) { t.outcome(labels, o, ended) })
}

func (t *Throughput) outcome(labels []string, o throughput.Outcome, ended time.Time) {
	failed := o.Failure != ""
	if failed {
		t.failures.WithLabelValues(with(labels, string(o.Failure))...).Inc()
	}
	for _, r := range o.Tests {
		if r.Failure != "" {
			failed = true
			t.failures.WithLabelValues(with(labels, string(r.Failure))...).Inc()
		}
		t.result(labels, r)
	}
	if !failed {
		t.lastSuccess.WithLabelValues(labels...).Set(seconds(ended))
	}
}

// result publishes one test, unless it has moved nothing.
func (t *Throughput) result(labels []string, r throughput.Result) {
	if r.ReadBytes == 0 && r.WrittenBytes == 0 {
		return
	}
	test := with(labels, string(r.Test))
	for direction, rate := range map[string]float64{reading: r.ReadRate(), writing: r.WriteRate()} {
		if rate > 0 {
			t.rates.WithLabelValues(with(test, direction)...).Set(rate)
			t.coreRates.WithLabelValues(with(test, direction)...).Set(r.PerCore(rate))
		}
	}
	if r.Test == throughput.SkipRead {
		t.seeks.WithLabelValues(labels...).Set(r.SeekRate())
	}
	t.cpu.WithLabelValues(test...).Set(r.CPU)
	t.iowait.WithLabelValues(test...).Set(r.IOWait)
	t.crc.WithLabelValues(test...).Set(r.CRC)
	t.device.publish(test, r.Device)
	t.nfs.publish(test, r.NFS)
}

// deviceVectors are iostat's columns over a test.
type deviceVectors struct {
	requestBytes, await, requests, merged *prometheus.GaugeVec
	queue, utilization, maximum           *prometheus.GaugeVec
}

func newDeviceVectors(r prometheus.Registerer) deviceVectors {
	return deviceVectors{
		requestBytes: gaugeVec(r, "device_request_bytes", "Mean size of the device's requests over the test: iostat's areq-sz.", perDirection()...),
		await:        gaugeVec(r, "device_await_seconds", "Mean time of the device's requests over the test, queue and service: iostat's r_await and w_await.", perDirection()...),
		requests:     gaugeVec(r, "device_requests_per_second", "Requests that the device completed over the test: iostat's r/s and w/s.", perDirection()...),
		merged:       gaugeVec(r, "device_merged_ratio", "Share of requests that were merged over the test: iostat's %rrqm and %wrqm.", perDirection()...),
		queue:        gaugeVec(r, "device_queue_length", "Mean number of requests queued or in service over the test: iostat's aqu-sz.", perTest()...),
		utilization:  gaugeVec(r, "device_utilization_ratio", "Share of the test with a request in flight: iostat's %util.", perTest()...),
		maximum:      gaugeVec(r, "device_maximum_request_bytes", "The largest request that the device takes (max_sectors_kb).", perTest()...),
	}
}

func (v deviceVectors) all() []*prometheus.GaugeVec {
	return []*prometheus.GaugeVec{v.requestBytes, v.await, v.requests, v.merged, v.queue, v.utilization, v.maximum}
}

func (v deviceVectors) publish(test []string, d *iostat.Device) {
	if d == nil {
		return
	}
	for direction, s := range map[string]*iostat.Direction{reading: d.Read, writing: d.Write} {
		if s == nil {
			continue
		}
		labels := with(test, direction)
		v.requestBytes.WithLabelValues(labels...).Set(s.RequestBytes)
		v.await.WithLabelValues(labels...).Set(s.AwaitSeconds)
		v.requests.WithLabelValues(labels...).Set(s.RequestsPerSecond)
		v.merged.WithLabelValues(labels...).Set(s.MergedRatio)
	}
	v.queue.WithLabelValues(test...).Set(d.QueueLength)
	v.utilization.WithLabelValues(test...).Set(d.Utilization)
	if d.MaximumRequestBytes > 0 {
		v.maximum.WithLabelValues(test...).Set(float64(d.MaximumRequestBytes))
	}
}

// nfsVectors are nfsiostat's columns over a test.
type nfsVectors struct{ rtt, execute, queue, retransmissions *prometheus.GaugeVec }

func newNFSVectors(r prometheus.Registerer) nfsVectors {
	return nfsVectors{
		rtt:             gaugeVec(r, "nfs_rtt_seconds", "Mean time from sending a call to its reply over the test: nfsiostat's avg RTT.", perDirection()...),
		execute:         gaugeVec(r, "nfs_execute_seconds", "Mean time from handing a call to the RPC layer to its end over the test: nfsiostat's avg exe.", perDirection()...),
		queue:           gaugeVec(r, "nfs_queue_seconds", "Mean time that calls waited before they were sent over the test: nfsiostat's avg queue.", perDirection()...),
		retransmissions: gaugeVec(r, "nfs_retransmissions", "Calls that were sent again during the test.", perDirection()...),
	}
}

func (v nfsVectors) all() []*prometheus.GaugeVec {
	return []*prometheus.GaugeVec{v.rtt, v.execute, v.queue, v.retransmissions}
}

func (v nfsVectors) publish(test []string, n *iostat.NFS) {
	if n == nil {
		return
	}
	for direction, c := range map[string]*iostat.Calls{reading: n.Read, writing: n.Write} {
		if c == nil {
			continue
		}
		labels := with(test, direction)
		v.rtt.WithLabelValues(labels...).Set(c.RTTSeconds)
		v.execute.WithLabelValues(labels...).Set(c.ExecuteSeconds)
		v.queue.WithLabelValues(labels...).Set(c.QueueSeconds)
		v.retransmissions.WithLabelValues(labels...).Set(float64(c.Retransmissions))
	}
}
