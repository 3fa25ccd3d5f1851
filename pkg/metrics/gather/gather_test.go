//go:build linux

package gather_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/columnstore/columnstore_exporter/pkg/metrics/gather"
)

// vectors are a counter, a gauge and a histogram with a series of each for every directory, and one of the counter for
// every reason too.
func vectors(directories int) []prometheus.Collector {
	failures := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "failures_total", Help: "By reason."}, []string{"directory", "reason"})
	success := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "success", Help: "Of the last run."}, []string{"directory"})
	latency := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "latency_seconds", Help: "Of reads.", Buckets: prometheus.DefBuckets, NativeHistogramBucketFactor: 1.1,
	}, []string{"directory"})
	for i := range directories {
		directory := "/srv/data" + strconv.Itoa(i)
		for _, reason := range []string{"eio", "enospc", "estale", "other"} {
			failures.WithLabelValues(directory, reason).Add(float64(i))
		}
		success.WithLabelValues(directory).Set(1)
		latency.WithLabelValues(directory).Observe(0.0007)
	}
	return []prometheus.Collector{failures, success, latency}
}

func both(registered ...prometheus.Collector) (*gather.Registry, *prometheus.Registry) {
	ours, theirs := gather.NewRegistry(), prometheus.NewPedanticRegistry()
	ours.MustRegister(registered...)
	theirs.MustRegister(registered...)
	return ours, theirs
}

func TestGathersWhatPrometheusGathers(t *testing.T) {
	for name, registered := range map[string][]prometheus.Collector{
		"nothing":          nil,
		"a family without": vectors(0),
		"vectors":          vectors(30),
		"build info":       {collectors.NewBuildInfoCollector()},
		"a family of two":  {constLabelled("a"), constLabelled("b")},
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := both(registered...)
			want, err := theirs.Gather()
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				got, err := ours.Gather()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got, protocmp.Transform(), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("-prometheus +ours:\n%s", diff)
				}
			}
		})
	}
}

func constLabelled(value string) prometheus.Collector {
	return prometheus.NewGauge(prometheus.GaugeOpts{Name: "two", Help: "By two collectors.", ConstLabels: prometheus.Labels{"of": value}})
}

func TestRegisterRefusesWhatPrometheusRefuses(t *testing.T) {
	registry := gather.NewRegistry()
	first := constLabelled("a")
	registry.MustRegister(first)

	var known prometheus.AlreadyRegisteredError
	if err := registry.Register(constLabelled("a")); !errors.As(err, &known) || known.ExistingCollector != first {
		t.Errorf("registered twice: %v", err)
	}
	other := prometheus.NewGauge(prometheus.GaugeOpts{Name: "two", Help: "Another help."})
	if err := registry.Register(other); err == nil || !strings.Contains(err.Error(), "two") {
		t.Errorf("registered with another help: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("MustRegister did not panic")
		}
	}()
	registry.MustRegister(other)
}

func TestUnregister(t *testing.T) {
	registry := gather.NewRegistry()
	gauge := constLabelled("a")
	if registry.Unregister(gauge) {
		t.Error("let go of what was not registered")
	}
	registry.MustRegister(gauge)
	if !registry.Unregister(gauge) {
		t.Error("did not let go")
	}
	if families, err := registry.Gather(); err != nil || len(families) != 0 {
		t.Errorf("gathered %v, %v", families, err)
	}
	registry.MustRegister(gauge)
}

// broken is a collector of one series that cannot be written and one that can, which then panics.
type broken struct{ desc, fine *prometheus.Desc }

func (b broken) Describe(ch chan<- *prometheus.Desc) { ch <- b.desc; ch <- b.fine }

func (b broken) Collect(ch chan<- prometheus.Metric) {
	ch <- prometheus.NewInvalidMetric(b.desc, errors.New("no figure"))
	ch <- prometheus.MustNewConstMetric(b.fine, prometheus.GaugeValue, 1)
	panic("torn")
}

func TestABrokenCollectorIsToldAndTheRestIsThere(t *testing.T) {
	registry := gather.NewRegistry()
	registry.MustRegister(
		broken{prometheus.NewDesc("broken", "Is.", nil, nil), prometheus.NewDesc("fine", "Is.", nil, nil)}, constLabelled("a"))
	families, err := registry.Gather()
	for _, want := range []string{"no figure", "broken", "torn"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in: %v", want, err)
		}
	}
	var names []string
	for _, f := range families {
		names = append(names, f.GetName())
	}
	if diff := cmp.Diff([]string{"fine", "two"}, names); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestGatheringCostsLess compares within one run, by the fastest of some that alternate: others may use the machine. The
// ratio is a half, and less of more series.
func TestGatheringCostsLess(t *testing.T) {
	ours, theirs := both(vectors(500)...)
	least := [2]time.Duration{time.Hour, time.Hour}
	for range 30 {
		for i, g := range []prometheus.Gatherer{ours, theirs} {
			begun := time.Now()
			if _, err := g.Gather(); err != nil {
				t.Fatal(err)
			}
			least[i] = min(least[i], time.Since(begun))
		}
	}
	if least[0] > least[1]*8/10 {
		t.Errorf("gathering takes %v, by prometheus %v", least[0], least[1])
	}
}
