package dashboards_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/busynode"
)

// filled puts values in the place of Grafana's variables.
func filled(expr string) string {
	return strings.NewReplacer("$__rate_interval", "30s", "$__range", "1h", "$job", ".+", "$instance", ".+", "$dbroot", ".*").Replace(expr)
}

func TestExpressions(t *testing.T) {
	l := &linter{t: t, families: exported(t)}
	for p := range panels(t) {
		l.classic, l.native = make(map[string]bool), make(map[string]bool)
		for _, q := range p.queries {
			l.where = fmt.Sprintf("%s: query %s", p, *q.RefId)
			l.text(q.Expr)
			l.expression(filled(q.Expr))
		}
		for name := range l.classic {
			if !l.native[name] {
				t.Errorf("%s: %s is not there where histograms are scraped as native ones", p, name)
			}
		}
	}
}

func TestAnnotations(t *testing.T) {
	l := &linter{t: t, families: exported(t)}
	for name, d := range load(t) {
		for _, a := range d.Annotations.List {
			l.where = name + ": annotation " + a.Name
			l.text(*a.Expr)
			l.expression(filled(*a.Expr))
		}
	}
}

// exported is what the exporter and Prometheus itself know of a node.
func exported(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	families, err := busynode.New().Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*dto.MetricFamily{
		"up":                      {Type: dto.MetricType_GAUGE.Enum()},
		"scrape_duration_seconds": {Type: dto.MetricType_GAUGE.Enum()},
	}
	for _, f := range families {
		all[f.GetName()] = f
	}
	return all
}

// linter holds the expressions of one panel against what is exported.
type linter struct {
	t        *testing.T
	families map[string]*dto.MetricFamily
	where    string
	classic  map[string]bool // histograms that are asked for by their classic parts
	native   map[string]bool // and by their own name
}

func (l *linter) complain(format string, args ...any) {
	l.t.Errorf("%s: %s", l.where, fmt.Sprintf(format, args...))
}

// text looks at what is gone when Grafana's variables are filled in.
func (l *linter) text(expr string) {
	for _, window := range regexp.MustCompile(`\[[^]]*\]`).FindAllString(expr, -1) {
		if window != "[$__rate_interval]" && window != "[$__range]" {
			l.complain("a window of its own: %s", window)
		}
	}
	for _, selector := range regexp.MustCompile(`\{[^}]*\}`).FindAllString(expr, -1) {
		if !strings.HasPrefix(selector, `{job=~"$job", instance=~"$instance"`) {
			l.complain("nodes cannot be chosen: %s", selector)
		}
	}
}

func (l *linter) expression(expr string) {
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		l.complain("%v", err)
		return
	}
	parser.Inspect(tree, func(node parser.Node, path []parser.Node) error {
		switch n := node.(type) {
		case *parser.VectorSelector:
			l.selector(n, path)
		case *parser.AggregateExpr:
			l.labels(tree, n.Grouping)
		case *parser.BinaryExpr:
			if n.VectorMatching != nil {
				l.labels(tree, n.VectorMatching.MatchingLabels)
			}
		}
		return nil
	})
}

func (l *linter) selector(s *parser.VectorSelector, path []parser.Node) {
	f := l.family(s.Name)
	if f == nil {
		l.complain("%s is not exported", s.Name)
		return
	}
	for _, m := range s.LabelMatchers {
		switch {
		case m.Name == model.BucketLabel:
			l.complain("%s: how le is written differs between formats", s)
		case m.Name != model.MetricNameLabel && !slices.Contains(labelNames(f), m.Name):
			l.complain("%s has no label %s", s.Name, m.Name)
		}
	}
	accumulates := f.GetType() == dto.MetricType_COUNTER || f.GetType() == dto.MetricType_HISTOGRAM
	if ofGrowth(path) != accumulates {
		l.complain("%s is a %v: wrong in rate or increase, or without", s.Name, f.GetType())
	}
}

// family finds the metric that a series belongs to, and notes how a histogram is asked for.
func (l *linter) family(series string) *dto.MetricFamily {
	if f := l.families[series]; f != nil {
		if f.GetType() == dto.MetricType_HISTOGRAM {
			l.native[series] = true
		}
		return f
	}
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		name, cut := strings.CutSuffix(series, suffix)
		if f := l.families[name]; cut && f.GetType() == dto.MetricType_HISTOGRAM {
			l.classic[name] = true
			return f
		}
	}
	return nil
}

// labels complains of labels that none of the metrics in the expression has.
func (l *linter) labels(tree parser.Expr, names []string) {
	known := []string{model.BucketLabel}
	parser.Inspect(tree, func(node parser.Node, _ []parser.Node) error {
		if s, ok := node.(*parser.VectorSelector); ok {
			known = append(known, labelNames(l.family(s.Name))...)
		}
		return nil
	})
	for _, name := range names {
		if !slices.Contains(known, name) {
			l.complain("no metric in it has the label %s", name)
		}
	}
}

// labelNames are the labels of a metric, and those that every scrape adds.
func labelNames(f *dto.MetricFamily) []string {
	names := []string{model.JobLabel, model.InstanceLabel}
	for _, m := range f.GetMetric() {
		for _, pair := range m.GetLabel() {
			names = append(names, pair.GetName())
		}
	}
	return names
}

// ofGrowth tells whether the innermost function takes the growth of a counter.
func ofGrowth(path []parser.Node) bool {
	for _, node := range slices.Backward(path) {
		if call, ok := node.(*parser.Call); ok {
			return slices.Contains([]string{"rate", "irate", "increase"}, call.Func.Name)
		}
	}
	return false
}
