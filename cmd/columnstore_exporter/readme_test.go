package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/config"
	"github.com/columnstore/columnstore_exporter/pkg/ingest"
)

const readme = "../../README.md"

var update = flag.Bool("update", false, "write the tables of README.md, and the golden files of the scripts, anew")

// TestReadmeHasTheSettings holds README's table of settings against the code.
func TestReadmeHasTheSettings(t *testing.T) {
	var want bytes.Buffer
	if err := config.WriteMarkdown(&want); err != nil {
		t.Fatal(err)
	}
	holdSection(t, "settings", want.String())
}

// TestReadmeHasTheGrants holds README's grants against those that the tests of the trials run with.
func TestReadmeHasTheGrants(t *testing.T) {
	const user = "'columnstore_exporter'@'localhost'"
	for name, grants := range map[string][]string{
		"grants": ingest.Grants(user, "columnstore_exporter"), "columnstore grants": ingest.ColumnStoreGrants(user),
		"binlog grants": ingest.BinlogGrants(user),
	} {
		holdSection(t, name, "    "+strings.Join(grants, ";\n    ")+";\n")
	}
}

// holdSection holds what stands in README between <!-- name and <!-- end of name to what it should be, or writes it.
func holdSection(t *testing.T, name, want string) {
	t.Helper()
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), "<!-- "+name+": generated -->\n\n")
	got, tail, closed := strings.Cut(rest, "\n<!-- end of "+name+" -->")
	if !found || !closed {
		t.Fatalf("%s has no section %q", readme, name)
	}
	if *update {
		page := head + "<!-- " + name + ": generated -->\n\n" + want + "\n<!-- end of " + name + " -->" + tail
		if err := os.WriteFile(readme, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s, %s: run `make generate` (-want +got):\n%s", readme, name, diff)
	}
}
