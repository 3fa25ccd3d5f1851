package prometheus_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
)

const runbookURL = "https://github.com/columnstore/columnstore_exporter/blob/main/deploy/runbook.md"

func runbook(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile("../runbook.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// sections returns the text under each heading.
func sections(t *testing.T) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	for _, section := range regexp.MustCompile(`(?m)^#+ `).Split(runbook(t), -1)[1:] {
		heading, text, _ := strings.Cut(section, "\n")
		texts[heading] = text
	}
	return texts
}

// anchor is what GitHub makes of a heading.
func anchor(heading string) string {
	return "#" + strings.ReplaceAll(strings.ToLower(heading), " ", "-")
}

func TestRunbookHasEachAlert(t *testing.T) {
	var names, headings []string
	for _, a := range alerts(t) {
		names = append(names, a.Alert)
		if want := runbookURL + anchor(a.Alert); a.Annotations["runbook_url"] != want {
			t.Errorf("%s: runbook_url %q, want %q", a, a.Annotations["runbook_url"], want)
		}
	}
	for heading, text := range sections(t) {
		if !strings.HasPrefix(heading, "ColumnStore") {
			continue
		}
		headings = append(headings, heading)
		for _, part := range []string{"**Means**", "**Confirm**", "**Do**"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %s", heading, part)
			}
		}
	}
	slices.Sort(names)
	slices.Sort(headings)
	if diff := cmp.Diff(slices.Compact(names), headings); diff != "" {
		t.Errorf("alerts (-) and headings of the runbook (+):\n%s", diff)
	}
}

func TestRunbookLinksLeadSomewhere(t *testing.T) {
	anchors := make(map[string]bool)
	for heading := range sections(t) {
		anchors[anchor(heading)] = true
	}
	for _, link := range regexp.MustCompile(`\]\((#[^)]+)\)`).FindAllStringSubmatch(runbook(t), -1) {
		if !anchors[link[1]] {
			t.Errorf("no heading has the anchor %s; there are %q", link[1], slices.Sorted(maps.Keys(anchors)))
		}
	}
}

func TestRunbookNamesMetricsThatExist(t *testing.T) {
	series := exported(t)
	for _, name := range regexp.MustCompile(`columnstore_\w+`).FindAllString(runbook(t), -1) {
		if _, ok := series.find(name); !ok && name != "columnstore_exporter" && name != "columnstore_tables" {
			t.Errorf("no metric is called %s", name)
		}
	}
}

func TestRunbookExplainsEachReason(t *testing.T) {
	texts := sections(t)
	for heading, reasons := range map[string][]string{
		"ColumnStoreStorageFailing": words(reason.All()),
		"ColumnStoreStorageStale":   words(reason.LatencySkips()),
		"ColumnStoreImportFailing":  words(outcome.Failures()),
		"ColumnStoreImportOverdue":  words(outcome.Skips()),
	} {
		for _, why := range reasons {
			if !strings.Contains(texts[heading], "`"+why+"`") {
				t.Errorf("%s says nothing of the reason %s", heading, why)
			}
		}
	}
}

func words[T ~string](values []T) []string {
	var texts []string
	for _, value := range values {
		texts = append(texts, string(value))
	}
	return texts
}
