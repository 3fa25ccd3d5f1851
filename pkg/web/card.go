//go:build linux

package web

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/status"
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
