package prometheus_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
)

// shortestRange holds four scrapes at the longest interval that prometheus.yml allows.
const shortestRange = 2 * time.Minute

// linter looks at one expression.
type linter struct {
	contract contract
	recorded map[string]bool
	problems []string
}

func (l *linter) complain(format string, args ...any) {
	l.problems = append(l.problems, fmt.Sprintf(format, args...))
}

func TestExpressions(t *testing.T) {
	all := rules(t)
	recorded := make(map[string]bool)
	for _, r := range all {
		recorded[r.Record] = true
	}
	series := exported(t)
	for _, r := range all {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(r.Expr)
		if err != nil {
			t.Errorf("%s: %v", r, err)
			continue
		}
		l := linter{contract: series, recorded: recorded}
		parser.Inspect(expr, l.visit)
		for _, problem := range l.problems {
			t.Errorf("%s: %s", r, problem)
		}
	}
}

func (l *linter) visit(node parser.Node, path []parser.Node) error {
	switch n := node.(type) {
	case *parser.VectorSelector:
		l.selector(n, path)
	case *parser.MatrixSelector:
		l.atLeast(n.Range)
	case *parser.SubqueryExpr:
		l.atLeast(n.Range)
	case *parser.AggregateExpr:
		if !n.Without {
			l.keepsNode("by", n.Grouping)
		}
	case *parser.BinaryExpr:
		if n.VectorMatching != nil && n.VectorMatching.On {
			l.keepsNode("on", n.VectorMatching.MatchingLabels)
		}
	}
	return nil
}

func (l *linter) atLeast(window time.Duration) {
	if window < shortestRange {
		l.complain("a window of %v may hold a single sample", window)
	}
}

func (l *linter) keepsNode(clause string, names []string) {
	if !slices.Contains(names, "job") || !slices.Contains(names, "instance") {
		l.complain("%s (%s) mixes nodes", clause, strings.Join(names, ", "))
	}
}

func (l *linter) selector(s *parser.VectorSelector, path []parser.Node) {
	for _, matcher := range s.LabelMatchers {
		if matcher.Name == model.BucketLabel {
			l.complain("%s: how le is written differs between formats", s)
		}
	}
	if l.recorded[s.Name] {
		return
	}
	m, ok := l.contract.find(s.Name)
	if !ok {
		l.complain("%s is neither exported nor recorded", s.Name)
		return
	}
	for _, matcher := range s.LabelMatchers {
		if matcher.Name != model.MetricNameLabel && !m.labels[matcher.Name] {
			l.complain("%s has no label %s", s.Name, matcher.Name)
		}
	}
	if growth := ofGrowth(path); growth != m.accumulates() {
		l.complain("%s is a %v: wrong in rate or increase, or without", s.Name, m.kind)
	}
}

// ofGrowth tells whether the innermost function is one that takes the growth of a counter.
func ofGrowth(path []parser.Node) bool {
	for _, node := range slices.Backward(path) {
		if call, ok := node.(*parser.Call); ok {
			return call.Func.Name == "rate" || call.Func.Name == "increase"
		}
	}
	return false
}

// A recording rule is called by the labels that its series keep, the metric, and what was done to it.
func TestRecordedNames(t *testing.T) {
	name := regexp.MustCompile(`^(directory|layout|node):(\w+):\w+$`)
	series := exported(t)
	for _, r := range rules(t) {
		if r.Record == "" {
			continue
		}
		parts := name.FindStringSubmatch(r.Record)
		if parts == nil {
			t.Errorf("%s is not of the form level:metric:operations", r.Record)
		} else if _, ok := series.find(parts[2]); !ok {
			t.Errorf("%s: no metric is called %s", r.Record, parts[2])
		}
	}
}
