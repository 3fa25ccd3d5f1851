//go:build linux

package gather

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"golang.org/x/sync/errgroup"
)

// template is what all series of a description have in common.
type template struct {
	name, help string
	kind       dto.MetricType
}

// Gather returns all families that have a series, by name, their series by the values of the labels. What one collector
// cannot give is missing and told in the error; the rest is there.
func (r *Registry) Gather() ([]*dto.MetricFamily, error) {
	r.mu.Lock()
	collectors := slices.Clone(r.collectors)
	r.mu.Unlock()

	g := gathering{registry: r, families: make(map[string]*dto.MetricFamily)}
	each(collectors, g.collect)
	families := slices.SortedFunc(maps.Values(g.families), func(a, b *dto.MetricFamily) int { return cmp.Compare(a.GetName(), b.GetName()) })
	each(families, func(f *dto.MetricFamily) { slices.SortFunc(f.Metric, byLabels) })
	if err := g.errs.MaybeUnwrap(); err != nil {
		return families, fmt.Errorf("gather the series: %w", err)
	}
	return families, nil
}

// each calls f for every item, as many at once as there are processors.
func each[T any](items []T, f func(T)) {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, item := range items {
		group.Go(func() error { f(item); return nil })
	}
	_ = group.Wait()
}

// gathering is one scrape's.
type gathering struct {
	registry *Registry

	mu       sync.Mutex
	families map[string]*dto.MetricFamily
	errs     prometheus.MultiError
}

// inHand is how many series a collector may be ahead of their being written.
const inHand = 64

// collect takes all series of a collector.
func (g *gathering) collect(c prometheus.Collector) {
	series := make(chan prometheus.Metric, inHand)
	go func() {
		defer close(series)
		defer func() {
			if panicked := recover(); panicked != nil {
				g.fail(fmt.Errorf("collector %T panicked: %v", c, panicked))
			}
		}()
		c.Collect(series)
	}()
	batches := make(map[*prometheus.Desc]*batch)
	for m := range series {
		pb, desc := new(dto.Metric), m.Desc()
		if err := m.Write(pb); err != nil {
			g.fail(fmt.Errorf("collect %v: %w", desc, err))
			continue
		}
		b := batches[desc]
		if b == nil {
			b = &batch{sample: m}
			batches[desc] = b
		}
		b.series = append(b.series, pb)
	}
	for _, b := range batches {
		g.add(b)
	}
}

// batch is what a collector gives of one description, and one of the metrics that it gave.
type batch struct {
	sample prometheus.Metric
	series []*dto.Metric
}

func (g *gathering) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.errs.Append(err)
}

// add gives the series of a description to their family.
func (g *gathering) add(b *batch) {
	t, err := g.registry.template(b.sample)
	if err != nil {
		g.fail(err)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.families[t.name]
	if f == nil {
		f = &dto.MetricFamily{Name: new(t.name), Help: new(t.help), Type: new(t.kind)}
		g.families[t.name] = f
	}
	f.Metric = append(f.Metric, b.series...)
}

// template returns what the description of m stands for. A description does not tell its name; Prometheus' registry does,
// once it has gathered a metric of it.
func (r *Registry) template(m prometheus.Metric) (template, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t, known := r.templates[m.Desc()]; known {
		return t, nil
	}
	one := prometheus.NewRegistry()
	one.MustRegister(single{m})
	families, err := one.Gather()
	if err != nil {
		return template{}, fmt.Errorf("collect %v: %w", m.Desc(), err)
	}
	t := template{name: families[0].GetName(), help: families[0].GetHelp(), kind: families[0].GetType()}
	r.templates[m.Desc()] = t
	return t, nil
}

// single is a collector of one metric.
type single struct{ prometheus.Metric }

// Describe implements prometheus.Collector.
func (s single) Describe(ch chan<- *prometheus.Desc) { ch <- s.Desc() }

// Collect implements prometheus.Collector.
func (s single) Collect(ch chan<- prometheus.Metric) { ch <- s.Metric }

// byLabels orders the series of a family, which have the same labels.
func byLabels(a, b *dto.Metric) int {
	return slices.CompareFunc(a.GetLabel(), b.GetLabel(), func(x, y *dto.LabelPair) int { return cmp.Compare(x.GetValue(), y.GetValue()) })
}
