//go:build linux

package web

import (
	"fmt"
	"html/template"

	"github.com/dustin/go-humanize"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/web/chart"
)

// imports is the section on import times.
type imports struct {
	// Host is the machine of the published layouts: seconds of another host compare only roughly.
	Host     string
	Chart    template.HTML
	Forecast []forecast
	// Basis tells on whose constant the forecast rests, Proviso which latencies are missing.
	Basis   string
	Proviso string
	Facts   []pair
}

// forecast is one scenario.
type forecast struct {
	Scenario, Detail, Seconds string
}

func newImports(s status.Snapshot) *imports {
	if s.Forecast == nil {
		return nil
	}
	in := imports{Host: baseline.PublishedHost, Basis: basis(s.Forecast.Constant), Facts: importFacts(s)}
	now, _ := s.Forecast.Seconds(baseline.Now)
	in.Chart = chart.Imports(trials(s.Ingest), bands(s.Layouts), now)
	for _, p := range s.Forecast.Predictions {
		name, detail := scenario(p.Scenario, *s.Forecast)
		in.Forecast = append(in.Forecast, forecast{name, detail, human.Seconds(p.Seconds)})
	}
	if _, ok := s.Forecast.Seconds(baseline.Now); !ok {
		in.Proviso = "There is no estimate for the storage as it is: not every directory has a latency now."
	} else if assumed := s.Forecast.Means.Assumed; len(assumed) > 0 {
		in.Proviso = fmt.Sprintf("bulkRollback is not there yet in %d of the DBroots: their own latency stands for it.", len(assumed))
	}
	return &in
}

func basis(c baseline.Constant) string {
	if c.Basis == baseline.NodeBasis {
		return fmt.Sprintf("Estimated from this node's latencies; what does not depend on them (%s) is the median of its last %d trials.",
			human.Seconds(c.Seconds), c.Trials)
	}
	return fmt.Sprintf("Estimated from this node's latencies; what does not depend on them (%s) is the published host's (%s), until cpimport has run a trial here.",
		human.Seconds(c.Seconds), baseline.PublishedHost)
}

func scenario(scenario baseline.Scenario, f baseline.Forecast) (name, detail string) {
	switch scenario {
	case baseline.Now:
		return "as it is", "with the latencies measured now"
	case baseline.FastRollback:
		if f.FastLike != "" {
			return "fast bulkRollback", fmt.Sprintf("bulkRollback on storage like %s, %s", f.FastLike, human.Seconds(f.Fast))
		}
		return "fast bulkRollback", "bulkRollback on storage that answers in " + human.Seconds(f.Fast)
	default:
		return "all local", "every directory as fast as the published local layout"
	}
}

func trials(in *status.Ingest) []chart.Import {
	if in == nil {
		return nil
	}
	var out []chart.Import
	for _, t := range in.Trials {
		out = append(out, chart.Import{Time: t.Started, Seconds: t.Seconds, Failed: t.Failure != ""})
	}
	return out
}

func bands(layouts []baseline.Layout) []chart.Band {
	var out []chart.Band
	for _, l := range layouts[:min(len(layouts), maxLanes)] {
		if l.Ingest != nil {
			out = append(out, chart.Band{Label: shorten(l.Title), Low: l.Ingest.Lower, High: l.Ingest.Upper})
		}
	}
	return out
}

// importFacts tells of the trials: the last one, its relation to the forecast, and those that were not.
func importFacts(s status.Snapshot) []pair {
	in := s.Ingest
	if in == nil {
		return []pair{{"trials", "none: COLUMNSTORE_EXPORTER_INGEST_DSN is not set"}}
	}
	var pairs []pair
	add := func(name, value string) {
		if value != "" {
			pairs = append(pairs, pair{name, value})
		}
	}
	if in.InFlight != nil {
		add("under way", "for "+age(s.Time, *in.InFlight))
	}
	add("last trial", lastTrial(s))
	add("ratio", ratio(s))
	add("skipped", counts(in.Skipped))
	add("last skip", in.LastSkip)
	add("failed", counts(in.Failed))
	add("interval", human.Every(in.IntervalSeconds))
	return pairs
}

func lastTrial(s status.Snapshot) string {
	if len(s.Ingest.Trials) == 0 {
		return "none yet"
	}
	last := s.Ingest.Trials[len(s.Ingest.Trials)-1]
	when := age(s.Time, last.Started) + " ago, by " + last.Method
	if last.Failure != "" {
		return fmt.Sprintf("failed (%s) %s: %s", last.Failure, when, last.Error)
	}
	return fmt.Sprintf("%s for %s rows, %s", human.Seconds(last.Seconds), humanize.Comma(last.Rows), when)
}

// ratio compares the last successful trial with what is predicted for the storage as it is. The estimate is of cpimport.
func ratio(s status.Snapshot) string {
	now, ok := s.Forecast.Seconds(baseline.Now)
	for i := len(s.Ingest.Trials) - 1; ok && i >= 0; i-- {
		if t := s.Ingest.Trials[i]; t.Failure == "" && t.Seconds > 0 && t.Method == ingest.MethodCpimport {
			return fmt.Sprintf("measured %s × predicted", human.Ratio(t.Seconds/now))
		}
	}
	return ""
}
