//go:build linux

package web

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/web/chart"
)

// view is what the template shows: texts and drawings, every figure written out.
type view struct {
	Style   template.CSS
	Refresh int
	Host    string
	Module  string
	Version string
	Time    string
	Started string
	Workers int
	Verdict verdict
	// Discovery is the error of the last discovery; empty when it went well.
	Discovery string
	Summary   []pair
	// Index leads to the cards; empty where there are so few that all are in sight.
	Index    []entry
	Groups   []group
	Imports  *imports
	Layouts  []layoutRow
	Ignored  []topology.Ignored
	Settings []pair
}

// verdict is a word with its sentence. The template finds the word's shape by its name.
type verdict struct {
	Word     baseline.Word
	Sentence string
}

// pair is one line of a list of facts.
type pair struct {
	Name, Value string
}

// entry is a line of the index: a directory with its word and its mean.
type entry struct {
	ID, Label, Mean string
	Word            baseline.Word
}

// group is the directories of one DBroot, or the extra ones.
type group struct {
	Title  string
	DBRoot string
	Cards  []card
}

func newView(s status.Snapshot) view {
	groups := groups(s)
	return view{
		Style:     template.CSS(statusCSS),
		Refresh:   refreshSeconds,
		Host:      s.Host,
		Module:    s.Module,
		Version:   s.Version,
		Time:      clock(s.Time),
		Started:   clock(s.Started),
		Workers:   s.Workers,
		Verdict:   nodeVerdict(s),
		Discovery: s.Discovery,
		Summary:   summary(s),
		Index:     index(groups),
		Groups:    groups,
		Imports:   newImports(s),
		Layouts:   layoutRows(s),
		Ignored:   s.Ignored,
		Settings:  settings(s),
	}
}

func nodeVerdict(s status.Snapshot) verdict {
	if s.Verdict == nil {
		return verdict{baseline.Waiting, "No run has finished yet."}
	}
	return verdict{s.Verdict.Word, s.Verdict.Sentence}
}

// summary is the node in four figures.
func summary(s status.Snapshot) []pair {
	var pairs []pair
	if s.Forecast != nil && s.Forecast.Means.DBRoot > 0 {
		pairs = append(pairs, pair{"DBroots, mean", human.Seconds(s.Forecast.Means.DBRoot)})
	}
	if s.Forecast != nil && s.Forecast.Means.BulkRollback > 0 {
		name := "bulkRollback, mean"
		if len(s.Forecast.Means.Assumed) > 0 {
			name = "bulkRollback, assumed"
		}
		pairs = append(pairs, pair{name, human.Seconds(s.Forecast.Means.BulkRollback)})
	}
	if s.Layout != nil {
		pairs = append(pairs, pair{"nearest layout", layoutTitle(s, s.Layout.Layout)})
	}
	return append(pairs, pair{"guideline", human.Seconds(s.Settings.LatencyTargetSeconds)})
}

func layoutTitle(s status.Snapshot, name string) string {
	for _, l := range s.Layouts {
		if l.Name == name {
			return l.Title
		}
	}
	return name
}

// extras is the title of the group of the directories that belong to no DBroot.
const extras = "Extra directories"

// groups sorts the targets by DBroot, and within it the DBroot before its bulkRollback; extras come last.
func groups(s status.Snapshot) []group {
	scale := scaleOf(s)
	var out []group
	for i, t := range sorted(s.Targets) {
		title := extras
		if t.Kind != topology.KindExtra {
			title = "DBroot " + t.DBRoot
		}
		if len(out) == 0 || out[len(out)-1].Title != title {
			out = append(out, group{Title: title, DBRoot: t.DBRoot})
		}
		last := &out[len(out)-1]
		card := newCard(s, t, scale)
		card.ID = fmt.Sprintf("directory-%d", i+1)
		last.Cards = append(last.Cards, card)
	}
	return out
}

// fewDirectories need no index.
const fewDirectories = 3

func index(groups []group) []entry {
	var entries []entry
	for _, g := range groups {
		for _, c := range g.Cards {
			label := strings.TrimSpace(c.Title + " " + g.DBRoot)
			entries = append(entries, entry{c.ID, label, strings.TrimSpace(c.Mean + " " + c.Unit), c.Verdict.Word})
		}
	}
	if len(entries) <= fewDirectories {
		return nil
	}
	return entries
}

func sorted(targets []status.Target) []status.Target {
	rank := []topology.Kind{topology.KindDBRoot, topology.KindBulkRollback, topology.KindExtra}
	return slices.SortedStableFunc(slices.Values(targets), func(a, b status.Target) int {
		return cmp.Or(
			cmp.Compare(len(rank)*btoi(a.Kind == topology.KindExtra), len(rank)*btoi(b.Kind == topology.KindExtra)),
			cmp.Compare(len(a.DBRoot), len(b.DBRoot)),
			strings.Compare(a.DBRoot, b.DBRoot),
			cmp.Compare(slices.Index(rank, a.Kind), slices.Index(rank, b.Kind)),
		)
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// scaleOf is the axis that all distributions share.
func scaleOf(s status.Snapshot) chart.Scale {
	var values []float64
	for _, t := range s.Targets {
		values = append(values, t.Recent...)
	}
	return chart.ScaleFor(values...)
}

// layoutRow is a line of the table of reference layouts.
type layoutRow struct {
	Title, Host, DBRoots, BulkRollback, Import string
	Nearest                                    bool
}

func layoutRows(s status.Snapshot) []layoutRow {
	var rows []layoutRow
	for _, l := range s.Layouts {
		row := layoutRow{Title: l.Title, Host: l.Host, Nearest: s.Layout != nil && s.Layout.Layout == l.Name}
		row.DBRoots = latencyRange(l.Range(topology.KindDBRoot))
		row.BulkRollback = latencyRange(l.Range(topology.KindBulkRollback))
		if row.BulkRollback == row.DBRoots {
			row.BulkRollback = "in the DBroot"
		}
		row.Import = human.None
		if l.Ingest != nil {
			row.Import = fmt.Sprintf("%s to %s", human.Number(l.Ingest.Lower), human.Seconds(l.Ingest.Upper))
		}
		rows = append(rows, row)
	}
	return rows
}

func latencyRange(low, high float64) string {
	if low == high {
		return human.Seconds(low)
	}
	return human.Seconds(low) + " to " + human.Seconds(high)
}

func settings(s status.Snapshot) []pair {
	return []pair{
		{"run every", human.Every(s.Settings.IntervalSeconds)},
		{"requests", fmt.Sprintf("%d reads and %d commits, %s apart", s.Settings.Count, s.Settings.Commits,
			human.Every(s.Settings.RequestIntervalSeconds))},
		{"request size", human.Bytes(s.Settings.RequestSizeBytes)},
		{"working set", human.Bytes(s.Settings.WorkingSetBytes)},
	}
}

func clock(t time.Time) string {
	if t.IsZero() {
		return human.None
	}
	return t.Format("2 Jan 2006, 15:04:05 MST")
}
