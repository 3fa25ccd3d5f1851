package dashboards_test

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

// chosen is the data source that the reader has chosen.
var chosen = &common.DataSourceRef{Type: new("prometheus"), Uid: new("${datasource}")}

func TestDashboards(t *testing.T) {
	uid := regexp.MustCompile(`^[a-z-]{1,40}$`)
	for name, d := range load(t) {
		if got := *d.Uid; got+".json" != name || !uid.MatchString(got) {
			t.Errorf("%s: uid %q", name, got)
		}
		if d.Title == nil || d.Description == nil || *d.Title == "" || *d.Description == "" {
			t.Errorf("%s: no title or no description", name)
		}
		if d.Editable == nil || *d.Editable {
			t.Errorf("%s can be edited, and edits are lost with the next version", name)
		}
		if d.Id != nil || d.Version != nil {
			t.Errorf("%s has a number or a version, which belong to one Grafana", name)
		}
		if len(d.Links) != 2 || !slices.Equal(d.Links[0].Tags, d.Tags) || !strings.HasSuffix(*d.Links[1].Url, "/deploy/runbook.md") {
			t.Errorf("%s does not lead to the others and to the runbook: %+v", name, d.Links)
		}
	}
}

func TestVariables(t *testing.T) {
	everything := map[string]string{"job": ".+", "instance": ".+", "dbroot": ".*"}
	for name, d := range load(t) {
		text := string(read(t, name))
		for _, v := range d.Templating.List {
			if !strings.Contains(text, "$"+v.Name) && !strings.Contains(text, "${"+v.Name+"}") {
				t.Errorf("%s: the variable %s is not used", name, v.Name)
			}
			if v.Type == dashboard.VariableTypeDatasource {
				continue
			}
			want := dashboard.VariableModel{
				Multi: new(true), IncludeAll: new(true), AllValue: new(everything[v.Name]),
				Refresh: new(dashboard.VariableRefreshOnTimeRangeChanged), Datasource: chosen,
			}
			got := dashboard.VariableModel{
				Multi: v.Multi, IncludeAll: v.IncludeAll, AllValue: v.AllValue, Refresh: v.Refresh, Datasource: v.Datasource,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: the variable %s (-want +got):\n%s", name, v.Name, diff)
			}
		}
		if first := d.Templating.List[0]; first.Name != "datasource" || *first.Label != "Data source" {
			t.Errorf("%s: the first variable is %s", name, first.Name)
		}
	}
}

func TestPanels(t *testing.T) {
	known := []string{
		units.BytesIEC, units.BytesPerSecondSI, units.NoUnit, units.PercentUnit, units.Seconds, units.Short,
	}
	ids := make(map[string]bool)
	titles := make(map[string]bool)
	for p := range panels(t) {
		if id := fmt.Sprint(p.file, *p.Id); *p.Id == 0 || ids[id] {
			t.Errorf("%s: its number is 0 or another's: %d", p, *p.Id)
		} else {
			ids[id] = true
		}
		if titles[p.String()] {
			t.Errorf("%s: there are two", p)
		}
		titles[p.String()] = true
		if p.Title == nil || p.Description == nil || *p.Title == "" || !strings.HasSuffix(*p.Description, ".") {
			t.Errorf("%s: no title, or no description in sentences", p)
		}
		if !slices.Contains(known, *p.FieldConfig.Defaults.Unit) {
			t.Errorf("%s: unit %q", p, *p.FieldConfig.Defaults.Unit)
		}
		if diff := cmp.Diff(chosen, p.Datasource); diff != "" {
			t.Errorf("%s: data source (-want +got):\n%s", p, diff)
		}
	}
}

func TestTargets(t *testing.T) {
	for p := range panels(t) {
		refs := make(map[string]bool)
		for _, q := range p.queries {
			if refs[*q.RefId] {
				t.Errorf("%s: there are two queries %s", p, *q.RefId)
			}
			refs[*q.RefId] = true
			if diff := cmp.Diff(chosen, q.Datasource); diff != "" {
				t.Errorf("%s: data source of query %s (-want +got):\n%s", p, *q.RefId, diff)
			}
		}
		if len(refs) == 0 {
			t.Errorf("%s: no query", p)
		}
		for _, o := range p.FieldConfig.Overrides {
			if o.Matcher.Id == "byFrameRefID" && !refs[fmt.Sprint(o.Matcher.Options)] {
				t.Errorf("%s: a look for query %v, which is not there", p, o.Matcher.Options)
			}
		}
	}
}

func TestGrid(t *testing.T) {
	for name, d := range load(t) {
		taken := make(map[[2]uint32]string)
		for _, p := range d.Panels {
			var pos *dashboard.GridPos
			var title string
			if p.RowPanel != nil {
				pos, title = p.RowPanel.GridPos, *p.RowPanel.Title
			} else {
				pos, title = p.Panel.GridPos, *p.Panel.Title
			}
			for x := pos.X; x < pos.X+pos.W; x++ {
				for y := pos.Y; y < pos.Y+pos.H; y++ {
					if other, ok := taken[[2]uint32{x, y}]; ok || x >= 24 {
						t.Fatalf("%s: %q lies upon %q or outside at %d, %d", name, title, other, x, y)
					}
					taken[[2]uint32{x, y}] = title
				}
			}
		}
	}
}

// Panels lead to the sections that alerts lead to.
func TestRunbookLinks(t *testing.T) {
	rules, err := filepath.Glob("../deploy/prometheus/rules/*.yml")
	if err != nil || len(rules) == 0 {
		t.Fatalf("no rules: %v", err)
	}
	sections := make(map[string]bool)
	for _, file := range rules {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`runbook_url: (\S+)`).FindAllSubmatch(text, -1) {
			sections[string(match[1])] = true
		}
	}
	for p := range panels(t) {
		for _, link := range p.Links {
			if !sections[*link.Url] {
				t.Errorf("%s: no alert leads to %s", p, *link.Url)
			}
		}
	}
}

// placed is a panel, and the file that it is in.
type placed struct {
	*dashboard.Panel

	file    string
	queries []*prometheus.Dataquery
}

func (p placed) String() string { return p.file + ": " + *p.Title }

// panels gives all panels but rows.
func panels(t *testing.T) iter.Seq[placed] {
	t.Helper()
	boards := load(t)
	return func(yield func(placed) bool) {
		for name, d := range boards {
			for _, p := range d.Panels {
				if p.Panel != nil && !yield(placed{p.Panel, name, queries(t, p.Panel)}) {
					return
				}
			}
		}
	}
}

func queries(t *testing.T, p *dashboard.Panel) []*prometheus.Dataquery {
	t.Helper()
	all := make([]*prometheus.Dataquery, 0, len(p.Targets))
	for _, target := range p.Targets {
		q, ok := target.(*prometheus.Dataquery)
		if !ok {
			t.Fatalf("%s asks a %s", *p.Title, target.DataqueryType())
		}
		all = append(all, q)
	}
	return all
}
