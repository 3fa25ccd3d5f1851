//go:build linux

package report

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/latency"
)

// imports writes each trial, what they have in common, and the published times beside them.
func (r Report) imports(b *bytes.Buffer) {
	if r.Ingest == nil {
		return
	}
	b.WriteString("--- import trials ---\n")
	var good latency.Stats
	for i, t := range r.Ingest.Trials {
		if t.Failure != "" {
			fmt.Fprintf(b, "%d: failed (%s): %s\n", i+1, t.Failure, t.Error)
			continue
		}
		good.Add(time.Duration(t.Seconds * float64(time.Second)))
		fmt.Fprintf(b, "%d: %s in %s, %s rows/s, %s%s\n", i+1, t.Method, human.Seconds(t.Seconds),
			human.Number(float64(t.Rows)/t.Seconds), human.BytesPerSecond(float64(t.Bytes)/t.Seconds), steps(t.Steps))
	}
	for _, why := range slices.Sorted(maps.Keys(r.Ingest.Skipped)) {
		fmt.Fprintf(b, "%d not started (%s): %s\n", r.Ingest.Skipped[why], why, r.Ingest.LastSkip)
	}
	if good.Count > 0 {
		fmt.Fprintf(b, "min/avg/max/mdev = %s / %s / %s / %s\n",
			human.Seconds(good.Min), human.Seconds(good.Avg()), human.Seconds(good.Max), human.Seconds(good.Mdev()))
	}
	for _, l := range r.Layouts {
		if l.Ingest != nil {
			fmt.Fprintf(b, "  published: %s %s to %s (%s)\n", l.Title, human.Seconds(l.Ingest.Lower), human.Seconds(l.Ingest.Upper), l.Host)
		}
	}
	b.WriteByte('\n')
}

// steps are those that cpimport reports; LOAD DATA has none.
func steps(s map[string]float64) string {
	if len(s) == 0 {
		return ""
	}
	return fmt.Sprintf(" (job load %s, preprocess %s, load %s)", human.Seconds(s["job_load"]), human.Seconds(s["preprocess"]), human.Seconds(s["load"]))
}
