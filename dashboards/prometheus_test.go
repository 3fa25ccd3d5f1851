//go:build prometheus

package dashboards_test

import (
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/model"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/busynode"
)

// scraped serves a node to a Prometheus, and returns when it has enough samples for rates.
func scraped(t *testing.T, native bool) *testbed.Prometheus {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(busynode.New(), promhttp.HandlerOpts{}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p := testbed.StartPrometheus(t, testbed.PrometheusOptions{
		Targets: []string{server.Listener.Addr().String()}, NativeHistograms: native,
	})
	p.Await(t, `count_over_time(up[1h]) > 2`)
	return p
}

func TestEveryQueryAnswers(t *testing.T) {
	for name, native := range map[string]bool{"classic": false, "native": true} {
		t.Run(name, func(t *testing.T) {
			server := scraped(t, native)
			for p := range panels(t) {
				answers := 0
				for _, q := range p.queries {
					if len(answer(t, server, q.Expr, *q.LegendFormat)) > 0 {
						answers++
					}
				}
				// A heatmap asks for classic and for native buckets by queries of their own.
				if want := len(p.Targets); answers != want && (p.Type != "heatmap" || answers != 1) {
					t.Errorf("%s: %d of %d queries have an answer", p, answers, want)
				}
			}
		})
	}
}

// answer evaluates an expression, and complains of what is not a number and of labels that the legend misses.
func answer(t *testing.T, server *testbed.Prometheus, expr, legend string) model.Vector {
	t.Helper()
	vector := server.Query(t, filled(expr))
	for _, sample := range vector {
		if math.IsNaN(float64(sample.Value)) || math.IsInf(float64(sample.Value), 0) {
			t.Errorf("%s: %v", expr, sample)
		}
		for _, label := range regexp.MustCompile(`\{\{(\w+)\}\}`).FindAllStringSubmatch(legend, -1) {
			if sample.Metric[model.LabelName(label[1])] == "" {
				t.Errorf("%s: the legend %q has nothing for %s in %v", expr, legend, label[1], sample.Metric)
			}
		}
	}
	return vector
}

func TestVariablesAndAnnotationsAnswer(t *testing.T) {
	server := scraped(t, false)
	query := regexp.MustCompile(`^label_values\((.+), (\w+)\)$`)
	for name, d := range load(t) {
		for _, v := range d.Templating.List {
			if v.Name == "datasource" {
				continue
			}
			parts := query.FindStringSubmatch(*v.Query.String)
			if parts == nil {
				t.Fatalf("%s: variable %s: %s", name, v.Name, *v.Query.String)
			}
			values, _, _, err := server.API.LabelValues(t.Context(), parts[2], []string{filled(parts[1])}, time.Time{}, time.Now())
			if err != nil || len(values) == 0 {
				t.Errorf("%s: variable %s: %v, %v", name, v.Name, values, err)
			}
		}
		for _, a := range d.Annotations.List {
			if len(answer(t, server, *a.Expr, *a.TextFormat)) == 0 {
				t.Errorf("%s: annotation %s has no answer", name, a.Name)
			}
		}
	}
}
