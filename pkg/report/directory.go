//go:build linux

package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// directory writes one directory's block: ioping's summary, whatever went wrong, and the verdict.
func (p *page) directory(t status.Target) {
	p.WriteString(p.heading(fmt.Sprintf("%s (%s) latency statistics", human.Path(t.Directory), strings.Join(place(t), ", "))))
	if t.Read != nil {
		p.reads(t)
	}
	p.unbegun(t)
	for _, why := range slices.Sorted(maps.Keys(t.Failed)) {
		p.line("%s: %s", english.Plural(int(t.Failed[why]), "failure", ""), why)
	}
	if trouble := strings.TrimSuffix(t.Error, "."); trouble != "" && !strings.Contains(sentence(t), trouble) {
		p.line("%s", trouble)
	}
	if t.InFlight != nil && !hung(t) {
		p.line("in flight: %s since %s", t.InFlight.Name, t.InFlight.Since.Format("15:04:05"))
	}
	if t.Verdict != nil {
		p.WriteString(p.verdict(*t.Verdict))
	}
	p.WriteByte('\n')
}

// place is what the directory is to ColumnStore and where it lies.
func place(t status.Target) []string {
	var out []string
	if label := t.Label(); label != t.Directory {
		out = append(out, label)
	}
	if device := strings.TrimSpace(t.Facts.FSType + " " + human.Path(t.Facts.Source)); device != "" {
		out = append(out, device)
	}
	if t.IO != "" {
		out = append(out, t.IO)
	}
	if len(out) == 0 {
		out = append(out, string(t.Facts.State))
	}
	return out
}

// reads writes ioping's three lines: what was counted, what was generated (the warm-up included), and the four figures.
func (p *page) reads(t status.Target) {
	r, size := *t.Read, float64(p.Settings.RequestSizeBytes)
	n, sum := float64(r.Count), r.Avg*float64(r.Count)
	p.line("%s completed in %s, %s read, %s iops, %s/s",
		english.Plural(r.Count, "request", ""), Duration(sum), Size(n*size), Count(n/sum), Size(n*size/sum))
	generated := float64(r.Requests)
	p.line("generated %s in %s, %s, %s iops, %s/s",
		english.Plural(r.Requests, "request", ""), Duration(r.Elapsed), Size(generated*size), Count(generated/r.Elapsed), Size(generated*size/r.Elapsed))
	p.line("min/avg/max/mdev = %s / %s / %s / %s", Duration(r.Min), Duration(r.Avg), Duration(r.Max), Duration(r.Mdev))
}

// unbegun tells of the requests that were asked for and not begun: there is no catching up with those whose time passes.
func (p *page) unbegun(t status.Target) {
	var parts []string
	missing := func(begun *status.Run, asked int, noun string) {
		if begun != nil && begun.Requests < asked {
			parts = append(parts, fmt.Sprintf("%d of %s", asked-begun.Requests, english.Plural(asked, noun, "")))
		}
	}
	missing(t.Read, p.Settings.Count, "read")
	missing(t.Commit, p.Settings.Commits, "commit")
	if len(parts) == 0 {
		return
	}
	why := ""
	if t.InFlight == nil && !p.Interrupted && len(t.Failed) == 0 {
		why = ": a slow request was under way at their time"
	}
	p.line("not begun: %s%s", strings.Join(parts, " and "), why)
}

func sentence(t status.Target) string {
	if t.Verdict == nil {
		return ""
	}
	return t.Verdict.Sentence
}

func hung(t status.Target) bool { return t.Verdict != nil && t.Verdict.Word == baseline.Hung }

// latencies writes the figures of all directories below one another.
func (p *page) latencies() {
	if len(p.Targets) == 0 {
		return
	}
	p.line("reads of %s within %s, commits (create, write 4 KiB, fsync, rename), %s apart; guideline for the mean of reads %s",
		human.Bytes(p.Settings.RequestSizeBytes), human.Bytes(p.Settings.WorkingSetBytes),
		human.Every(p.Settings.RequestIntervalSeconds), seconds(p.Settings.LatencyTargetSeconds))
	t := table{layout: "llrrrrrrrrl"}
	t.add("latency", "", "answered", "min", "avg", "max", "mdev", "p50", "p95", "p99")
	for _, target := range p.Targets {
		read := figures(target.Read, p.Settings.Count-1)
		if target.Success == nil {
			read[0] = human.None
		}
		if target.Verdict != nil {
			read = append(read, p.word(target.Verdict.Word))
		}
		t.add(append([]string{short(target.Target), "read"}, read...)...)
		if target.Commit != nil {
			t.add(append([]string{"", "commit"}, figures(target.Commit, p.Settings.Commits)...)...)
		}
	}
	t.write(&p.Buffer)
	p.WriteByte('\n')
}

// short names a target in a table.
func short(t topology.Target) string {
	if t.Kind == topology.KindBulkRollback {
		return "bulkRollback " + t.DBRoot
	}
	return human.Path(t.Label())
}

// figures are the cells of one run of which so many requests should have counted.
func figures(r *status.Run, asked int) []string {
	if r == nil {
		return []string{fmt.Sprintf("0 of %d", asked), "", "", "", "", "", "", ""}
	}
	cells := []string{fmt.Sprintf("%d of %d", r.Count, asked), seconds(r.Min), seconds(r.Avg), seconds(r.Max), human.Seconds(r.Mdev)}
	if q := r.Quantiles; q != nil {
		return append(cells, seconds(q.P50), seconds(q.P95), seconds(q.P99))
	}
	return append(cells, human.None, human.None, human.None)
}
