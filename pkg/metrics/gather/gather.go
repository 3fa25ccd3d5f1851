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
	"google.golang.org/protobuf/proto"
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
	written := make(map[*prometheus.Desc][]*dto.Metric)
	for m := range series {
		pb, desc := new(dto.Metric), m.Desc()
		if err := m.Write(pb); err != nil {
			g.fail(fmt.Errorf("collect %v: %w", desc, err))
			continue
		}
		written[desc] = append(written[desc], pb)
	}
	for desc, metrics := range written {
		g.add(desc, metrics)
	}
}

func (g *gathering) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.errs.Append(err)
}

// add gives the series of a description to their family.
func (g *gathering) add(desc *prometheus.Desc, metrics []*dto.Metric) {
	t, err := g.registry.template(desc, metrics[0])
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
	f.Metric = append(f.Metric, metrics...)
}

// template returns what desc stands for. A description does not tell its name; Prometheus' registry does, once it has
// gathered a series of it.
func (r *Registry) template(desc *prometheus.Desc, sample *dto.Metric) (template, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t, known := r.templates[desc]; known {
		return t, nil
	}
	one := prometheus.NewRegistry()
	one.MustRegister(single{desc, sample})
	families, err := one.Gather()
	if err != nil {
		return template{}, fmt.Errorf("collect %v: %w", desc, err)
	}
	t := template{name: families[0].GetName(), help: families[0].GetHelp(), kind: families[0].GetType()}
	r.templates[desc] = t
	return t, nil
}

// single is a collector of one series, and that series.
type single struct {
	desc   *prometheus.Desc
	sample *dto.Metric
}

// Describe implements prometheus.Collector.
func (s single) Describe(ch chan<- *prometheus.Desc) { ch <- s.desc }

// Collect implements prometheus.Collector.
func (s single) Collect(ch chan<- prometheus.Metric) { ch <- s }

// Desc implements prometheus.Metric.
func (s single) Desc() *prometheus.Desc { return s.desc }

// Write implements prometheus.Metric.
func (s single) Write(pb *dto.Metric) error {
	proto.Merge(pb, s.sample)
	return nil
}

// byLabels orders the series of a family, which have the same labels.
func byLabels(a, b *dto.Metric) int {
	return slices.CompareFunc(a.GetLabel(), b.GetLabel(), func(x, y *dto.LabelPair) int { return cmp.Compare(x.GetValue(), y.GetValue()) })
}
