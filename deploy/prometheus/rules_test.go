// Package prometheus_test holds the shipped rules to what makes them work on the first try: their expressions name series
// that exist, their alerts tell who is meant and where to read on, and each was seen to fire and to keep silent.
package prometheus_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// rule is a recording rule or an alert.
type rule struct {
	Record, Alert, Expr string
	For                 string
	KeepFiringFor       string `yaml:"keep_firing_for"`
	Labels, Annotations map[string]string
}

func (r rule) String() string {
	return strings.TrimSpace(fmt.Sprint(r.Record, r.Alert, " ", r.Labels["severity"], " ", r.Labels["op"]))
}

// rules returns all shipped rules.
func rules(t *testing.T) []rule {
	t.Helper()
	var all []rule
	for _, file := range files(t, "rules/*.yml") {
		var content struct {
			Groups []struct {
				Name, Interval string
				Rules          []rule
			}
		}
		decode(t, file, &content, true)
		for _, group := range content.Groups {
			all = append(all, group.Rules...)
		}
	}
	return all
}

func alerts(t *testing.T) []rule {
	t.Helper()
	return slices.DeleteFunc(rules(t), func(r rule) bool { return r.Alert == "" })
}

func files(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("no file is %s (error %v)", pattern, err)
	}
	return found
}

// decode reads a YAML file.
func decode(t *testing.T, file string, into any, strict bool) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(strict)
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func TestAlertsAreLabelledAndTimed(t *testing.T) {
	name := regexp.MustCompile(`^ColumnStore([A-Z][a-zA-Z]+)+$`)
	for _, a := range alerts(t) {
		if !name.MatchString(a.Alert) {
			t.Errorf("%s: not in CamelCase with the common prefix", a)
		}
		if severity := a.Labels["severity"]; !slices.Contains([]string{"critical", "warning", "info"}, severity) {
			t.Errorf("%s: severity %q", a, severity)
		}
		if a.For == "" {
			t.Errorf("%s: say for how long, be it 0s", a)
		}
	}
}

// states are the alerts whose value says only that it is so.
func states() []string {
	return []string{
		"ColumnStoreExporterAbsent critical",
		"ColumnStoreExporterDown critical",
		"ColumnStoreImportTableLocked warning",
		"ColumnStoreStorageFailing critical",
		"ColumnStoreStorageMissing critical",
	}
}

func TestAlertsTellWhoIsMeant(t *testing.T) {
	sentence := regexp.MustCompile(`^[A-Z][^{}]+\.$`)
	value := regexp.MustCompile(`\{\{ \$value(?: \| \S.*?)? }}`)
	for _, a := range alerts(t) {
		fields := slices.Sorted(maps.Keys(a.Annotations))
		if diff := cmp.Diff([]string{"description", "runbook_url", "summary"}, fields); diff != "" {
			t.Errorf("%s: annotations:\n%s", a, diff)
		}
		if summary := a.Annotations["summary"]; !sentence.MatchString(summary) {
			t.Errorf("%s: summary %q is no sentence, or not the same for each alert", a, summary)
		}
		description := a.Annotations["description"]
		if !strings.Contains(description, "{{ $labels.instance }}") && a.Alert != "ColumnStoreExporterAbsent" {
			t.Errorf("%s: description %q names no instance", a, description)
		}
		if value.MatchString(description) == slices.Contains(states(), a.String()) {
			t.Errorf("%s: description %q gives no value, or that of a state", a, description)
		}
	}
}
