//go:build linux

package report

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// references writes the reference layouts, and below them what was measured and what is estimated of this node.
func (p *page) references() {
	if len(p.Layouts) == 0 {
		return
	}
	t := table{layout: "lrrrl"}
	t.add("layout", "DBroot", "bulkRollback", fmt.Sprintf("10,000 x %d import", baseline.PublishedColumns))
	for _, l := range p.Layouts {
		t.add(p.reference(l)...)
	}
	if f := p.Forecast; f != nil && f.Means.DBRoot > 0 {
		p.measured(&t, *f)
		p.estimated(&t, *f)
		t.write(&p.Buffer)
		p.provisos(*f)
	} else {
		t.write(&p.Buffer)
	}
	p.WriteByte('\n')
}

// provisos tells which latencies are missing.
func (p *page) provisos(f baseline.Forecast) {
	if _, ok := f.Seconds(baseline.Now); !ok {
		p.line("no estimate for the storage as it is: not every directory has a latency")
	}
	if assumed := f.Means.Assumed; len(assumed) > 0 {
		p.line("no bulkRollback yet in DBroot %s: the DBroot's own latency stands for it", english.WordSeries(assumed, "and"))
	}
}

func (p *page) reference(l baseline.Layout) []string {
	root, rollback := between(l.Range(topology.KindDBRoot)), between(l.Range(topology.KindBulkRollback))
	if root == rollback {
		rollback = "in the DBroot"
	}
	time := human.None
	if l.Ingest != nil {
		time = between(l.Ingest.Lower, l.Ingest.Upper)
	}
	remark := "on " + l.Host
	if p.Layout != nil && p.Layout.Layout == l.Name {
		remark += "; the nearest, off by a factor of " + human.Number(p.Layout.Factor())
	}
	return []string{l.Title, root, rollback, time, remark}
}

// between writes a range, with the unit once where both ends have the same.
func between(low, high float64) string {
	from, to := human.Seconds(low), human.Seconds(high)
	if from == to {
		return to
	}
	if number, unit, _ := strings.Cut(from, " "); strings.HasSuffix(to, " "+unit) {
		from = number
	}
	return from + " to " + to
}

// measured adds the node's latencies, and what its trials took.
func (p *page) measured(t *table, f baseline.Forecast) {
	time, remark := "", ""
	if good, method := p.successes(); good.Count > 0 {
		time, remark = human.Seconds(good.Avg()), fmt.Sprintf("mean of %s with %s", english.Plural(good.Count, "trial", ""), method)
		if now, ok := f.Seconds(baseline.Now); ok && method == ingest.MethodCpimport { // the others pay no such latencies
			remark += ", " + human.Ratio(good.Avg()/now) + " times the estimate"
		}
	}
	t.add(p.Host+", measured", seconds(f.Means.DBRoot), seconds(f.Means.BulkRollback), time, remark)
}

// estimated adds the predictions, and on whose constant they rest.
func (p *page) estimated(t *table, f baseline.Forecast) {
	if now, ok := f.Seconds(baseline.Now); ok {
		t.add("estimated as it is", "", "", human.Seconds(now), constant(f.Constant))
	}
	if s, ok := f.Seconds(baseline.FastRollback); ok {
		remark := "bulkRollback as in the published layout"
		if f.FastLike != "" {
			remark = "bulkRollback on storage like " + human.Path(f.FastLike)
		}
		t.add("estimated with low-latency bulkRollback", "", human.Seconds(f.Fast), human.Seconds(s), remark)
	}
	if s, ok := f.Seconds(baseline.AllLocal); ok {
		t.add("estimated with all on local storage", "", "", human.Seconds(s), "every directory as in the published layout")
	}
}

func constant(c baseline.Constant) string {
	by := "the published host (" + baseline.PublishedHost + ")"
	switch {
	case c.Basis == baseline.NodeBasis && c.Trials == 1:
		by = "this node's last trial"
	case c.Basis == baseline.NodeBasis:
		by = fmt.Sprintf("this node's last %d trials", c.Trials)
	}
	return human.Seconds(c.Seconds) + " beyond the latencies, by " + by
}
