//go:build linux

package report

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// WriteText writes the form for people.
func (r Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	if r.Discovery != "" {
		fmt.Fprintf(&b, "discovery: %s\n\n", r.Discovery)
	}
	for _, t := range r.Targets {
		r.directory(&b, t)
	}
	for _, t := range r.Targets {
		r.throughput(&b, t)
	}
	r.imports(&b)
	r.node(&b)
	if r.Interrupted {
		b.WriteString("interrupted: these are the figures until then\n")
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// directory writes one directory's block, in the manner of ioping's summary.
func (r Report) directory(b *bytes.Buffer, t status.Target) {
	fmt.Fprintf(b, "--- %s (%s) latency statistics ---\n", t.Directory, strings.Join(place(t), ", "))
	if t.Read != nil {
		r.reads(b, t)
	}
	if c := t.Commit; c != nil {
		fmt.Fprintf(b, "%d commits (create, write 4 KiB, fsync, rename) completed in %s\n", c.Count, Duration(c.Avg*float64(c.Count)))
		figures(b, c)
	}
	for _, why := range slices.Sorted(maps.Keys(t.Failed)) {
		fmt.Fprintf(b, "%d failed: %s\n", t.Failed[why], why)
	}
	if t.Error != "" {
		fmt.Fprintf(b, "%s\n", t.Error)
	}
	if t.InFlight != nil {
		fmt.Fprintf(b, "hung: %s has not come back since %s\n", t.InFlight.Name, t.InFlight.Since.Format("15:04:05"))
	}
	if v := t.Verdict; v != nil {
		fmt.Fprintf(b, "%s: %s\n", v.Word, v.Sentence)
	}
	b.WriteByte('\n')
}

// place is what the directory is to ColumnStore and where it lies.
func place(t status.Target) []string {
	out := []string{what(t.Target)}
	if device := strings.TrimSpace(t.Facts.FSType + " " + t.Facts.Source); device != "" {
		out = append(out, device)
	}
	if t.IO != "" {
		out = append(out, t.IO)
	}
	return out
}

// what names the target as people do.
func what(t topology.Target) string {
	switch t.Kind {
	case topology.KindDBRoot:
		return "DBroot " + t.DBRoot
	case topology.KindBulkRollback:
		return "bulkRollback of DBroot " + t.DBRoot
	default:
		return "extra " + t.Name
	}
}

// reads writes ioping's three lines: what was counted, what was generated (the warm-up included), and the four figures.
func (r Report) reads(b *bytes.Buffer, t status.Target) {
	size, n, sum := float64(r.Settings.RequestSizeBytes), float64(t.Read.Count), t.Read.Avg*float64(t.Read.Count)
	fmt.Fprintf(b, "%d requests completed in %s, %s read, %s iops, %s/s\n",
		t.Read.Count, Duration(sum), Size(n*size), Count(n/sum), Size(n*size/sum))
	generated, elapsed := float64(t.Read.Requests), t.Read.Elapsed
	fmt.Fprintf(b, "generated %d requests in %s, %s, %s iops, %s/s\n",
		t.Read.Requests, Duration(elapsed), Size(generated*size), Count(generated/elapsed), Size(generated*size/elapsed))
	figures(b, t.Read)
}

func figures(b *bytes.Buffer, f *status.Run) {
	fmt.Fprintf(b, "min/avg/max/mdev = %s / %s / %s / %s\n", Duration(f.Min), Duration(f.Avg), Duration(f.Max), Duration(f.Mdev))
}
