package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/busynode"
)

// TestReadmeHasTheMetrics holds README's table of metrics to what a node publishes on which everything happens.
func TestReadmeHasTheMetrics(t *testing.T) {
	var table strings.Builder
	table.WriteString("| metric | type | labels | meaning |\n|---|---|---|---|\n")
	for _, f := range families(t) {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", f.GetName(), strings.ToLower(f.GetType().String()), labelColumn(f),
			strings.ReplaceAll(f.GetHelp(), "|", `\|`))
	}
	holdSection(t, "metrics", table.String())
}

// families are the exporter's own metrics, without those of the Go runtime and of the process.
func families(t *testing.T) []*dto.MetricFamily {
	t.Helper()
	all, err := busynode.New().Gather()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(f *dto.MetricFamily) bool { return !strings.HasPrefix(f.GetName(), "columnstore_") })
}

// labelColumn names a metric's labels, those of a directory as "target".
func labelColumn(f *dto.MetricFamily) string {
	names := map[string]bool{}
	for _, m := range f.GetMetric() {
		for _, pair := range m.GetLabel() {
			names[pair.GetName()] = true
		}
	}
	var column []string
	if names["directory"] {
		column = append(column, "*target*")
		maps.DeleteFunc(names, func(name string, _ bool) bool { return slices.Contains([]string{"dbroot", "kind", "directory"}, name) })
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		column = append(column, "`"+name+"`")
	}
	if column == nil {
		return "–"
	}
	return strings.Join(column, ", ")
}

// TestTheBusyNodeHasEveryMetric compares it, and by that README, with the metrics in the golden files and with a real daemon.
func TestTheBusyNodeHasEveryMetric(t *testing.T) {
	known := map[string]bool{}
	for _, f := range families(t) {
		known[f.GetName()] = true
	}
	golden, err := filepath.Glob("../../pkg/metrics/testdata/*.prom")
	if err != nil || len(golden) == 0 {
		t.Fatalf("%d golden files (error %v)", len(golden), err)
	}
	texts := []string{exposition(t)}
	for _, file := range golden {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		for _, match := range regexp.MustCompile(`(?m)^# TYPE (columnstore_\w+) `).FindAllStringSubmatch(text, -1) {
			if !known[match[1]] {
				t.Errorf("%s is published, but not by the busy node", match[1])
			}
		}
	}
}

// exposition is what a daemon publishes after its first run.
func exposition(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	p := startExporter(t, fast(dbroot(dir))...)
	p.expect(series("success", dir), is(1))
	return p.get("/metrics")
}

// TestDocumentsNameMetricsThatExist looks at README outside of its table, too, and at the other documents.
func TestDocumentsNameMetricsThatExist(t *testing.T) {
	series := seriesNames(t)
	// The tables of information_schema that ColumnStore has are called alike.
	name := regexp.MustCompile(`information_schema\.\w+|\bcolumnstore_\w+`)
	for _, pattern := range []string{readme, "../../docs/*.md", "../../deploy/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range name.FindAllString(string(text), -1) {
				if strings.HasPrefix(found, "columnstore_") && found != "columnstore_exporter" && !named(series, found) {
					t.Errorf("%s: no metric is called %s", file, found)
				}
			}
		}
	}
}

// seriesNames are the names of the exporter's series, with those of a classic histogram's parts.
func seriesNames(t *testing.T) (names []string) {
	t.Helper()
	for _, f := range families(t) {
		names = append(names, f.GetName())
		if f.GetType() == dto.MetricType_HISTOGRAM {
			names = append(names, f.GetName()+"_bucket", f.GetName()+"_sum", f.GetName()+"_count")
		}
	}
	return names
}

// named tells whether a series has the name, or names begin so that stand for several: columnstore_storage_read_….
func named(series []string, name string) bool {
	return slices.ContainsFunc(series, func(s string) bool {
		return s == name || strings.HasSuffix(name, "_") && strings.HasPrefix(s, name)
	})
}
