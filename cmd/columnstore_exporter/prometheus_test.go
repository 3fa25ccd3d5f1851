//go:build prometheus

package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

func TestPrometheusAgreesWithTheAPI(t *testing.T) {
	for _, native := range []bool{false, true} {
		t.Run(fmt.Sprintf("native=%v", native), func(t *testing.T) {
			p := startExporter(t, "DBROOTS=1="+t.TempDir(), "LATENCY_INTERVAL=12s", "LATENCY_COUNT=11", "LATENCY_REQUEST_INTERVAL=100ms", "COMMIT_COUNT=0")
			prometheus := testbed.StartPrometheus(t, testbed.PrometheusOptions{Targets: []string{p.address}, NativeHistograms: native})
			count, sum := `columnstore_storage_read_latency_seconds_count{kind="dbroot"}`, `columnstore_storage_read_latency_seconds_sum{kind="dbroot"}`
			if native {
				count = `histogram_count(columnstore_storage_read_latency_seconds{kind="dbroot"})`
				sum = `histogram_sum(columnstore_storage_read_latency_seconds{kind="dbroot"})`
			}
			total := func() float64 {
				v := prometheus.Query(t, count)
				if len(v) != 1 {
					return 0
				}
				return float64(v[0].Value)
			}
			scraped := func(runs float64) {
				p.eventually(fmt.Sprintf("%v runs are scraped", runs), func() bool { return total() == 10*runs })
			}
			scraped(2)
			begun := time.Now()
			scraped(3)
			window := fmt.Sprintf("[%ds]", int(time.Since(begun).Seconds()))
			rate := func(metric string) string {
				if native {
					inner, _ := strings.CutPrefix(metric, "histogram_")
					name, vector, _ := strings.Cut(strings.TrimSuffix(inner, ")"), "(")
					return "histogram_" + name + "(rate(" + vector + window + "))"
				}
				return "rate(" + metric + window + ")"
			}
			ratio := prometheus.Query(t, rate(sum)+" / "+rate(count))
			if len(ratio) != 1 {
				t.Fatalf("%d series", len(ratio))
			}
			got, want := float64(ratio[0].Value), p.status().Targets[0].Read.Avg
			if math.Abs(got-want) > want/1e6 {
				t.Errorf("Prometheus says %v s, the API %v s", got, want)
			}
		})
	}
}

func TestExpositionIsClean(t *testing.T) {
	dir := t.TempDir()
	p := startExporter(t, fast(dbroot(dir))...)
	p.expect(series("success", dir), is(1))
	testbed.PromtoolCheckMetrics(t, p.get("/metrics"))
}
