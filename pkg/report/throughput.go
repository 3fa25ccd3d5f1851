//go:build linux

package report

import (
	"fmt"
	"math"
	"strconv"

	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// throughput writes a table in the shape of vioperf's, what the device or the NFS client saw, and the diagnosis.
func (p *page) throughput(t status.Target) {
	if t.Throughput == nil {
		return
	}
	results := t.Throughput.Results
	p.WriteString(p.heading(human.Path(t.Directory) + " throughput"))
	for _, t := range []table{rates(results), devices(results), calls(results)} {
		if len(t.rows) > 1 {
			t.write(&p.Buffer)
			p.WriteByte('\n')
		}
	}
	for _, one := range results {
		for _, remark := range remarks(one) {
			p.line("%s: %s", one.Test, remark)
		}
	}
	if d := t.Throughput.Diagnosis; d != nil {
		p.line("%s", d.Sentence)
	}
	p.WriteByte('\n')
}

// rates are vioperf's columns, and the share of the bytes that reached storage.
func rates(results []throughput.Result) table {
	t := table{layout: "llrrrrrrrr"}
	t.add("test", "counter name", "counter value", "value/core", "threads", "%CPU", "%IO wait", "%CRC", "elapsed", "%storage")
	for _, one := range results {
		name, total, core := counters(one)
		t.add(string(one.Test), name, total, core, strconv.Itoa(one.Threads),
			percent(one.CPU), percent(one.IOWait), percent(one.CRC), human.Seconds(one.Seconds), proven(one))
	}
	return t
}

// counters are the figures as vioperf writes them, in decimal MB/s; rewrite has two of them.
func counters(r throughput.Result) (name, total, core string) {
	mb := func(rate float64) string { return human.Number(rate / 1e6) }
	read, write := r.ReadRate(), r.WriteRate()
	switch r.Test {
	case throughput.SkipRead:
		return "seeks/s", human.Number(r.SeekRate()), human.Number(r.PerCore(r.SeekRate()))
	case throughput.Rewrite:
		return "(MB-read+MB-write)/s", mb(read) + "+" + mb(write), mb(r.PerCore(read)) + "+" + mb(r.PerCore(write))
	case throughput.ReadTest:
		return "MB/s", mb(read), mb(r.PerCore(read))
	default:
		return "MB/s", mb(write), mb(r.PerCore(write))
	}
}

// proven is the share of the bytes that reached storage; a dash where the file system does not tell.
func proven(r throughput.Result) string {
	if r.DeviceRatio == nil {
		return human.None
	}
	return percent(*r.DeviceRatio)
}

// remarks are what a reader must know to believe the figures.
func remarks(r throughput.Result) []string {
	var out []string
	if r.Failure != "" {
		out = append(out, fmt.Sprintf("failed (%s): %s", r.Failure, r.Error))
	}
	if r.EndedEarly != "" {
		out = append(out, "ended early: "+early(r.EndedEarly))
	}
	if r.IO == throughput.Buffered {
		out = append(out, "buffered: O_DIRECT is refused")
	}
	if r.StatisticsError != "" {
		out = append(out, "no device statistics: "+r.StatisticsError)
	}
	return out
}

func early(why string) string {
	switch why {
	case throughput.EndedMaxBytes:
		return "its files were as large as THROUGHPUT_MAX_BYTES allows"
	case throughput.EndedMinFree:
		return "the file system was as full as THROUGHPUT_MIN_FREE allows"
	default:
		return why
	}
}

func percent(share float64) string { return human.Number(math.Round(100 * share)) }
