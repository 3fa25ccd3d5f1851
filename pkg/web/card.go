//go:build linux

package web

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/web/chart"
)

// card is one directory.
type card struct {
	ID        string
	Title     string
	Directory string
	Verdict   verdict
	// Hung tells of an operation that has been in flight for long; empty otherwise.
	Hung string
	// Mean is the last run's mean, and Against its relation to the guideline; empty before the first run.
	Mean, Unit, Against string
	// Stale tells that the last run is long ago.
	Stale        bool
	Runs         []run
	Facts        []pair
	Spark        template.HTML
	Distribution template.HTML
	Rates        template.HTML
}

// run is one line of ioping's four figures.
type run struct {
	Op, Min, Avg, Max, Mdev string
}

func newCard(s status.Snapshot, t status.Target, scale chart.Scale) card {
	c := card{
		Title:     cardTitle(t.Target),
		Directory: t.Directory,
		Verdict:   verdict{Word: baseline.Waiting},
		Hung:      hung(s, t),
		Facts:     facts(s, t),
		Rates:     rates(t.Throughput),
	}
	if t.Verdict != nil {
		c.Verdict = verdict{t.Verdict.Word, t.Verdict.Sentence}
	}
	c.figures(s, t)
	if len(t.History) > 0 {
		c.Spark = spark(s, t)
	}
	if len(t.Recent) > 0 {
		c.Distribution = chart.Distribution(t.Recent, scale, s.Settings.LatencyTargetSeconds, lanes(s.Layouts, t.Kind))
	}
	return c
}

func cardTitle(t topology.Target) string {
	switch {
	case t.Kind == topology.KindBulkRollback:
		return "bulkRollback"
	case t.Kind == topology.KindDBRoot:
		return "DBroot"
	case t.Name != "":
		return t.Name
	default:
		return "extra"
	}
}

// figures fills in the last run.
func (c *card) figures(s status.Snapshot, t status.Target) {
	if t.Read != nil && t.Read.Count > 0 {
		c.Mean, c.Unit, _ = strings.Cut(human.Seconds(t.Read.Avg), " ")
		c.Against = against(t.Read.Avg, s.Settings.LatencyTargetSeconds)
		if c.Stale = stale(s, t.Read.Ended); c.Stale {
			c.Against = age(s.Time, t.Read.Ended) + " ago; " + c.Against
		}
		c.Runs = append(c.Runs, newRun("read", *t.Read))
	}
	if t.Commit != nil && t.Commit.Count > 0 {
		c.Runs = append(c.Runs, newRun("commit", *t.Commit))
	}
}

func newRun(op string, r status.Run) run {
	return run{
		Op:  fmt.Sprintf("%d × %s", r.Count, op),
		Min: human.Seconds(r.Min), Avg: human.Seconds(r.Avg), Max: human.Seconds(r.Max), Mdev: human.Seconds(r.Mdev),
	}
}

func against(avg, guideline float64) string {
	if !(guideline > 0) {
		return ""
	}
	return fmt.Sprintf("%s × the guideline of %s", human.Ratio(avg/guideline), human.Seconds(guideline))
}

// stale tells that a run should have followed the one that ended then, and another one after it.
func stale(s status.Snapshot, ended time.Time) bool {
	return s.Settings.IntervalSeconds > 0 && s.Time.Sub(ended).Seconds() > 2*s.Settings.IntervalSeconds
}

func hung(s status.Snapshot, t status.Target) string {
	if t.InFlight == nil || s.Time.Sub(t.InFlight.Since) < baseline.HungAfter {
		return ""
	}
	return fmt.Sprintf("%s in flight since %s (%s)", t.InFlight.Name, t.InFlight.Since.Format("15:04:05"), age(s.Time, t.InFlight.Since))
}

// facts tells where the directory is, how it was measured and how often.
func facts(s status.Snapshot, t status.Target) []pair {
	var pairs []pair
	add := func(name, value string) {
		if value != "" {
			pairs = append(pairs, pair{name, value})
		}
	}
	add("mount", mount(t.Facts))
	if t.Facts.Resolved != t.Directory {
		add("leads to", t.Facts.Resolved)
	}
	add("I/O", proof(t))
	if t.LastSuccess != nil {
		add("last success", age(s.Time, *t.LastSuccess)+" ago")
	}
	add("runs", runs(t))
	add("failed", counts(t.Failed))
	add("last error", t.Error)
	if t.Throughput != nil {
		add("throughput", age(s.Time, t.Throughput.Ended)+" ago"+throughputFailures(t.Throughput.Results))
	}
	return pairs
}

func mount(f topology.Facts) string {
	if f.FSType == "" {
		return ""
	}
	text := f.FSType + " on " + f.Source
	if f.Device != "" && !strings.HasSuffix(f.Source, "/"+f.Device) {
		text += " (" + f.Device + ")"
	}
	return text + " at " + f.Mountpoint
}

func proof(t status.Target) string {
	switch {
	case t.IO == "":
		return ""
	case t.DeviceRatio == nil || !(*t.DeviceRatio >= 0):
		return t.IO + "; the file system does not tell what came from the device"
	case *t.DeviceRatio >= 0.995:
		return t.IO + "; every byte came from the device"
	default:
		return fmt.Sprintf("%s; %.0f %% of the bytes came from the device", t.IO, 100**t.DeviceRatio)
	}
}

func runs(t status.Target) string {
	text := fmt.Sprint(t.Runs)
	if skipped := counts(t.Skipped); skipped != "" {
		text += ", skipped: " + skipped
	}
	return text
}

// counts writes what is not 0, in the order of the names.
func counts(of map[string]uint64) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if of[name] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", name, of[name]))
		}
	}
	return strings.Join(parts, ", ")
}

func spark(s status.Snapshot, t status.Target) template.HTML {
	points := make([]chart.Point, len(t.History))
	for i, p := range t.History {
		points[i] = chart.Point{Time: p.Time, Value: p.Avg}
	}
	gap := 3 * time.Duration(s.Settings.IntervalSeconds*float64(time.Second))
	return chart.Spark(points, s.Time, gap, s.Settings.LatencyTargetSeconds)
}

// maxLanes bounds the layouts marked in a distribution; the published ones come first.
const maxLanes = 6

func lanes(layouts []baseline.Layout, kind topology.Kind) []chart.Lane {
	var lanes []chart.Lane
	for _, l := range layouts[:min(len(layouts), maxLanes)] {
		low, high := l.Range(kind)
		lanes = append(lanes, chart.Lane{Label: shorten(l.Title), Low: low, High: high})
	}
	return lanes
}

// rates draws the throughput per core; empty before the first run.
func rates(t *status.Throughput) template.HTML {
	if t == nil {
		return ""
	}
	var out []chart.Rate
	for _, r := range t.CoreRates() {
		out = append(out, chart.Rate{Label: r.Test, BytesPerSecond: r.BytesPerSecond})
	}
	if len(out) == 0 {
		return ""
	}
	return chart.Rates(out, baseline.CoreMinimum, baseline.CoreRecommended)
}

func throughputFailures(results []throughput.Result) string {
	var failed []string
	for _, r := range results {
		if r.Failure != "" {
			failed = append(failed, fmt.Sprintf("%s failed (%s)", r.Test, r.Failure))
		}
	}
	if len(failed) == 0 {
		return ""
	}
	return ", " + strings.Join(failed, ", ")
}

// shorten cuts a title of the user's own to what fits beside its mark.
func shorten(title string) string {
	const fits = 22
	if runes := []rune(title); len(runes) > fits {
		return string(runes[:fits-1]) + "…"
	}
	return title
}

// age is how long ago then was, at now.
func age(now, then time.Time) string {
	d := max(0, now.Sub(then)).Round(time.Second)
	hours, minutes, seconds := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", seconds)
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", minutes, seconds)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", hours, minutes)
	default:
		return fmt.Sprintf("%d days", hours/24)
	}
}
