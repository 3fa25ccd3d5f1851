//go:build linux

package web

import (
	"fmt"
	"html/template"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
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
	Index   []entry
	Groups  []group
	Imports *imports
	Layouts []layoutRow
	// Notes are what the operator should know about the configuration, a sentence each.
	Notes    []string
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

func newView(s status.Snapshot) view {
	groups := groups(s)
	return view{
		Style:     template.CSS(statusCSS), //nolint:gosec // the page's own stylesheet
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
		Notes:     s.Notes,
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
		pairs = append(pairs, pair{"nearest layout", baseline.Title(s.Layouts, s.Layout.Layout)})
	}
	return append(pairs, pair{"guideline", human.Seconds(s.Settings.LatencyTargetSeconds)})
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
