//go:build prometheus

package testbed_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// exporter serves a histogram of three observations, classic and native, whose sum is 6.
func exporter(t *testing.T) (address string) {
	t.Helper()
	registry := prometheus.NewRegistry()
	histogram := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "trial_seconds", Help: "A trial.", Buckets: []float64{1, 2}, NativeHistogramBucketFactor: 1.1,
	})
	registry.MustRegister(histogram)
	for _, x := range []float64{1, 2, 3} {
		histogram.Observe(x)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func TestPrometheusScrapes(t *testing.T) {
	for name, test := range map[string]struct {
		native bool
		sum    string
	}{
		"classic": {false, `trial_seconds_sum == 6`},
		"native":  {true, `histogram_sum(trial_seconds) == 6`},
	} {
		t.Run(name, func(t *testing.T) {
			server := testbed.StartPrometheus(t, testbed.PrometheusOptions{
				Targets: []string{exporter(t)}, NativeHistograms: test.native,
			})
			server.Await(t, test.sum)
			if up := server.Query(t, `up{job="columnstore_exporter"} == 1`); len(up) != 1 {
				t.Errorf("up: %v", up)
			}
		})
	}
}

func TestPromtoolCheckMetrics(t *testing.T) {
	testbed.PromtoolCheckMetrics(t, "# HELP reads_total Reads.\n# TYPE reads_total counter\nreads_total 1\n")
}
