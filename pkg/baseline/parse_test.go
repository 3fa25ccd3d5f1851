package baseline_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

const goodFile = `
layouts:
  - name: our_san
    title: Two DBroots on the SAN
    host: 16 cores, 64 GB
    latencies:
      - {dbroot: 1, kind: dbroot, latency: 620us}
      - {dbroot: 1, kind: bulkrollback, latency: 0.51ms}
      - {dbroot: 2, kind: dbroot, latency: 640µs}
    ingest: {lower: 8s, upper: 9500ms}
  - name: laptop
    latencies: [{dbroot: 7, kind: dbroot, latency: 90us}]
`

func TestParse(t *testing.T) {
	got, err := baseline.Parse("baselines.yaml", strings.NewReader(goodFile))
	if err != nil {
		t.Fatal(err)
	}
	want := []baseline.Layout{
		{
			Name: "our_san", Title: "Two DBroots on the SAN", Host: "16 cores, 64 GB",
			Latencies: []baseline.Latency{
				{DBRoot: "1", Kind: topology.KindDBRoot, Seconds: 620e-6},
				{DBRoot: "1", Kind: topology.KindBulkRollback, Seconds: 510e-6},
				{DBRoot: "2", Kind: topology.KindDBRoot, Seconds: 640e-6},
			},
			Ingest: &baseline.Bounds{Lower: 8, Upper: 9.5},
		},
		{
			Name: "laptop", Title: "laptop",
			Latencies: []baseline.Latency{{DBRoot: "7", Kind: topology.KindDBRoot, Seconds: 90e-6}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if means := got[0].Means(); means.DBRoot != 630e-6 || means.BulkRollback != (510e-6+640e-6)/2 {
		t.Errorf("means %+v: DBroot 2 keeps its bulkRollback inside", means)
	}
}

func TestParseRefuses(t *testing.T) {
	const latencies = "latencies: [{dbroot: 1, kind: dbroot, latency: 1ms}]"
	for _, test := range []struct {
		name string
		text string
		want []string
	}{
		{"nothing", "", []string{"empty"}},
		{"no layout", "layouts: []", []string{"no layout"}},
		{"not YAML", "layouts: [", []string{"yaml"}},
		{"an unknown field", "layouts:\n- name: a\n  latency: 1ms", []string{"line 3", "latency"}},
		{"a word for a duration", "layouts:\n- name: a\n  latencies: [{dbroot: 1, kind: dbroot, latency: fast}]", []string{"line 3", "fast"}},
		{"two documents", "layouts: []\n---\nlayouts: []", []string{"more than one YAML document"}},
		{"a published name", "layouts:\n- {name: nfs_ha, " + latencies + "}", []string{"line 2", `"nfs_ha"`, "published"}},
		{"a name twice", "layouts:\n- {name: a, " + latencies + "}\n- {name: a, " + latencies + "}", []string{"line 3", "twice"}},
		{"a name that is no label", "layouts:\n- {name: Our SAN, " + latencies + "}", []string{"lower-case"}},
		{"a title of two lines", "layouts:\n- {name: a, title: \"b\\nc\", " + latencies + "}", []string{"title"}},
		{"a host without end", "layouts:\n- {name: a, host: " + strings.Repeat("x", 81) + ", " + latencies + "}", []string{"host"}},
		{"no latency", "layouts:\n- name: a", []string{"no latency of kind dbroot"}},
		{"a bulkRollback alone", "layouts:\n- name: a\n  latencies: [{dbroot: 1, kind: dbroot, latency: 1ms}, {dbroot: 2, kind: bulkrollback, latency: 1ms}]", []string{"dbroot 2 without"}},
		{"an extra", "layouts:\n- name: a\n  latencies: [{dbroot: 1, kind: extra, latency: 1ms}]", []string{`kind "extra"`}},
		{"a latency twice", "layouts:\n- name: a\n  latencies: [{dbroot: 1, kind: dbroot, latency: 1ms}, {dbroot: 1, kind: dbroot, latency: 2ms}]", []string{"two latencies"}},
		{"a DBroot 0", "layouts:\n- name: a\n  latencies: [{dbroot: 0, kind: dbroot, latency: 1ms}]", []string{"dbroot 0", "1 to 99"}},
		{"a latency of 0", "layouts:\n- name: a\n  latencies: [{dbroot: 1, kind: dbroot, latency: 0s}]", []string{"latency 0s"}},
		{"bounds upside down", "layouts:\n- {name: a, " + latencies + ", ingest: {lower: 9s, upper: 8s}}", []string{"ingest from 9s to 8s"}},
		{"two mistakes at once", "layouts:\n- name: A\n- name: b", []string{"line 2", "line 3"}},
		{"64 KiB of it", "# " + strings.Repeat("x", 64<<10), []string{"larger than 64 KiB"}},
		{"too many", "layouts:\n" + strings.Repeat("- {name: a}\n", 21), []string{"at most 20"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			layouts, err := baseline.Parse("/etc/baselines.yaml", strings.NewReader(test.text))
			if err == nil {
				t.Fatalf("accepted as %+v", layouts)
			}
			for _, want := range slices.Concat(test.want, []string{"/etc/baselines.yaml"}) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not name %q", err, want)
				}
			}
		})
	}
}

func TestParsePassesOnReadErrors(t *testing.T) {
	broken := errors.New("broken")
	if _, err := baseline.Parse("x", iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("error %v, want one that wraps the reader's", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(goodFile)
	f.Add("layouts: &a [*a]")
	f.Fuzz(func(t *testing.T, text string) {
		layouts, err := baseline.Parse("fuzz", strings.NewReader(text))
		if err != nil {
			return
		}
		for _, layout := range layouts {
			if means := layout.Means(); !(means.DBRoot > 0) || !(means.BulkRollback > 0) {
				t.Errorf("accepted %+v without means", layout)
			}
		}
	})
}
