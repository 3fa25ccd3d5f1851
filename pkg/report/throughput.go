//go:build linux

package report

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// throughput writes a table in the shape of vioperf's, what the device saw, and the diagnosis.
func (r Report) throughput(b *bytes.Buffer, t status.Target) {
	if t.Throughput == nil {
		return
	}
	fmt.Fprintf(b, "--- %s throughput ---\n", t.Directory)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "test\tcounter name\tcounter value\tvalue/core\tthreads\t%CPU\t%IO wait\t%CRC\telapsed\t")
	for _, one := range t.Throughput.Results {
		name, total, core := counters(one)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%.0f\t%.0f\t%.0f\t%s\t%s\n", one.Test, name, total, core,
			one.Threads, 100*one.CPU, 100*one.IOWait, 100*one.CRC, human.Seconds(one.Seconds), remarks(one))
	}
	_ = w.Flush() // into memory
	for _, one := range t.Throughput.Results {
		deviceLine(b, one)
	}
	fmt.Fprintf(b, "%s\n\n", throughput.Diagnose(t.Throughput.Results).Sentence)
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

// remarks are what a reader must know to believe the line.
func remarks(r throughput.Result) string {
	var out []string
	if r.Failure != "" {
		out = append(out, "failed: "+r.Error)
	}
	if r.EndedEarly != "" {
		out = append(out, "ended early: "+r.EndedEarly)
	}
	if r.IO == throughput.Buffered {
		out = append(out, "buffered: O_DIRECT is refused")
	}
	return strings.Join(out, "; ")
}

// deviceLine writes iostat's or nfsiostat's columns over the test.
func deviceLine(b *bytes.Buffer, r throughput.Result) {
	if r.Device != nil {
		fmt.Fprintf(b, "  %s: %s%saqu-sz %s, util %.0f %%, max request %s\n", r.Test, direction("r", r.Device.Read), direction("w", r.Device.Write),
			human.Number(r.Device.QueueLength), 100*r.Device.Utilization, human.Bytes(r.Device.MaximumRequestBytes))
	}
	if r.NFS != nil {
		fmt.Fprintf(b, "  %s:%s%s\n", r.Test, calls("READ", r.NFS.Read), calls("WRITE", r.NFS.Write))
	}
	if r.StatisticsError != "" {
		fmt.Fprintf(b, "  %s: no device statistics: %s\n", r.Test, r.StatisticsError)
	}
}

func direction(letter string, d *iostat.Direction) string {
	if d == nil {
		return ""
	}
	return fmt.Sprintf("%s/s %s, %sareq-sz %s, %s_await %s, ", letter, human.Number(d.RequestsPerSecond),
		letter, human.Bytes(int64(d.RequestBytes)), letter, human.Seconds(d.AwaitSeconds))
}

func calls(name string, c *iostat.Calls) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf(" %s %s/s, RTT %s, exe %s, queue %s, retrans %d;", name, human.Number(c.CallsPerSecond),
		human.Seconds(c.RTTSeconds), human.Seconds(c.ExecuteSeconds), human.Seconds(c.QueueSeconds), c.Retransmissions)
}
