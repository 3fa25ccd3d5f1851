package dashboards_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/columnstore/columnstore_exporter/dashboards"
)

// board is a dashboard in the classic schema.
type board = dashboard.Dashboard //nolint:staticcheck // older Grafanas do not read the one that it is deprecated for

func TestCommittedFilesAreUpToDate(t *testing.T) {
	made, err := dashboards.All()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(made)), files(t)); diff != "" {
		t.Errorf("files (-made +committed):\n%s", diff)
	}
	for _, name := range files(t) {
		if diff := cmp.Diff(string(made[name]), string(read(t, name))); diff != "" {
			t.Errorf("%s: run `make dashboards` (-made +committed):\n%s", name, diff)
		}
	}
}

// Strict decoding finds what Grafana's schema does not know or demands; decoding and encoding shows what it leaves out.
func TestFilesKeepToGrafanasSchema(t *testing.T) {
	for name, d := range load(t) {
		var strict board
		// The error is never nil; without text there is none.
		if err := strict.UnmarshalJSONStrict(read(t, name)); err.Error() != "" {
			t.Errorf("%s: %v", name, err)
		}
		again, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decode[any](t, read(t, name)), decode[any](t, again)); diff != "" {
			t.Errorf("%s (-committed +decoded and encoded):\n%s", name, diff)
		}
	}
}

// load decodes the committed dashboards, by file.
func load(t *testing.T) map[string]board {
	t.Helper()
	plugins.RegisterDefaultPlugins()
	all := make(map[string]board)
	for _, name := range files(t) {
		all[name] = decode[board](t, read(t, name))
	}
	return all
}

func decode[T any](t *testing.T, text []byte) (value T) {
	t.Helper()
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func files(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no dashboards: %v", err)
	}
	return names
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
