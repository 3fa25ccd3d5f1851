//go:build prometheus

package prometheus_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/metrics"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// node serves the storage series of a node on which reads in /data1 take 1 and 9 ms in turn, and one in /data2 hangs.
func node(t *testing.T) (address string) {
	t.Helper()
	registry := prometheus.NewRegistry()
	storage := metrics.NewStorage(registry, metrics.StorageSettings{
		Interval: time.Minute, RequestInterval: time.Second, LatencyTarget: 700 * time.Microsecond,
	})
	slow := storage.Add(topology.Target{DBRoot: "1", Kind: topology.KindDBRoot, Directory: "/data1"},
		func() (string, time.Time, bool) { return "", time.Time{}, false })
	hung := time.Now().Add(-10 * time.Second)
	storage.Add(topology.Target{DBRoot: "2", Kind: topology.KindDBRoot, Directory: "/data2"},
		func() (string, time.Time, bool) { return "read", hung, true })

	exposition := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, took := range []time.Duration{time.Millisecond, 9 * time.Millisecond} {
			slow.Sample(latency.Sample{Op: latency.Read, Latency: took})
		}
		exposition.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func TestRulesOnARealPrometheus(t *testing.T) {
	for name, native := range map[string]bool{"classic histograms": false, "native histograms": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := testbed.StartPrometheus(t, testbed.PrometheusOptions{
				Targets: []string{node(t)}, NativeHistograms: native, Rules: absolute(t, files(t, "rules/*.yml")),
			})
			for _, expr := range []string{
				`directory:columnstore_storage_read_latency_seconds:mean5m{directory="/data1"} > 4.9e-3 < 5.1e-3`,
				`directory:columnstore_storage_read_latency_seconds:mdev5m{directory="/data1"} > 3.6e-3 < 4.4e-3`,
				`directory:columnstore_storage_read_latency_seconds:quantile5m{directory="/data1", quantile="0.5"} > 0.9e-3 < 1.1e-3`,
				`directory:columnstore_storage_read_latency_seconds:quantile5m{directory="/data1", quantile="0.99"} > 7.5e-3 < 10e-3`,
				`directory:columnstore_storage_read_latency_seconds:ratio_to_target5m{directory="/data1"} > 7 < 7.3`,
				`ALERTS{alertname="ColumnStoreStorageHung", alertstate="firing", severity="critical", job="columnstore_exporter", dbroot="2", kind="dbroot", directory="/data2"}`,
				`ALERTS{alertname="ColumnStoreStorageSlow", alertstate="pending", severity="critical", directory="/data1"}`,
			} {
				server.Await(t, expr)
			}
			if classic := server.Query(t, `columnstore_storage_read_latency_seconds_count`); len(classic) > 0 == native {
				t.Errorf("series of classic histograms: %d", len(classic))
			}
			noRuleFails(t, server)
		})
	}
}

func noRuleFails(t *testing.T, server *testbed.Prometheus) {
	t.Helper()
	all, err := server.API.Rules(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range all.Groups {
		for _, r := range group.Rules {
			switch r := r.(type) {
			case v1.AlertingRule:
				if r.Health == v1.RuleHealthBad {
					t.Errorf("%s: %s", r.Name, r.LastError)
				}
			case v1.RecordingRule:
				if r.Health == v1.RuleHealthBad {
					t.Errorf("%s: %s", r.Name, r.LastError)
				}
			}
		}
	}
}

func absolute(t *testing.T, files []string) []string {
	t.Helper()
	for i, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		files[i] = path
	}
	return files
}
