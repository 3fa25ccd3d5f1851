//go:build linux

package testbed

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
)

// Prometheus is a Prometheus server of the test's own.
type Prometheus struct {
	// URL is where it serves, without a slash at the end.
	URL string
	// API is the client of its HTTP API.
	API v1.API
}

// PrometheusOptions says what a Prometheus does.
type PrometheusOptions struct {
	// Targets are scraped at /metrics by the job "columnstore_exporter"; each is host:port.
	Targets []string
	// Interval is the time between scrapes and between evaluations of rules; one second when 0.
	Interval time.Duration
	// NativeHistograms takes native histograms where there are any, and then not the classic buckets.
	NativeHistograms bool
	// Rules are the absolute paths of rule files.
	Rules []string
	// Alertmanagers are told of alerts; each is host:port.
	Alertmanagers []string
}

// StartPrometheus runs Debian's Prometheus with an empty database until the test ends.
func StartPrometheus(t testing.TB, options PrometheusOptions) *Prometheus {
	t.Helper()
	return RunPrometheus(t, options.write(t, t.TempDir()), options.NativeHistograms)
}

// RunPrometheus is StartPrometheus with a configuration file of the caller's own.
func RunPrometheus(t testing.TB, config string, nativeHistograms bool) *Prometheus {
	t.Helper()
	address := FreeAddress(t)
	args := []string{
		"--config.file=" + config, "--web.listen-address=" + address, "--storage.tsdb.path=" + t.TempDir(), "--log.level=warn",
	}
	if nativeHistograms {
		args = append(args, "--enable-feature=native-histograms")
	}
	url := "http://" + address
	serve(t, url+"/-/ready", "prometheus", args...)
	client, err := api.NewClient(api.Config{Address: url})
	if err != nil {
		t.Fatal(err)
	}
	return &Prometheus{URL: url, API: v1.NewAPI(client)}
}

// write makes the configuration file, as JSON, which is YAML too.
func (o PrometheusOptions) write(t testing.TB, dir string) string {
	t.Helper()
	type object map[string]any
	interval := model.Duration(max(o.Interval, time.Second))
	static := func(targets []string) []object { return []object{{"targets": targets}} }
	config, err := json.Marshal(object{
		"global":         object{"scrape_interval": interval, "evaluation_interval": interval, "scrape_timeout": interval},
		"rule_files":     o.Rules,
		"scrape_configs": []object{{"job_name": "columnstore_exporter", "static_configs": static(o.Targets)}},
		"alerting":       object{"alertmanagers": []object{{"static_configs": static(o.Alertmanagers)}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "prometheus.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Query evaluates a PromQL expression that gives a vector, now.
func (p *Prometheus) Query(t testing.TB, expr string) model.Vector {
	t.Helper()
	value, _, _, err := p.API.Query(t.Context(), expr, time.Time{})
	if err != nil {
		t.Fatalf("query %s: %v", expr, err)
	}
	vector, ok := value.(model.Vector)
	if !ok {
		t.Fatalf("query %s: %v instead of a vector", expr, value.Type())
	}
	return vector
}

// Await evaluates a PromQL expression until it gives at least one sample, and returns what it gave. A comparison in the
// expression is the condition that is waited for.
func (p *Prometheus) Await(t testing.TB, expr string) model.Vector {
	t.Helper()
	var vector model.Vector
	await(t, expr, func() bool {
		vector = p.Query(t, expr)
		return len(vector) > 0
	})
	return vector
}
