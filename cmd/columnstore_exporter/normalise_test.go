package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// What differs from run to run or from machine to machine in the text of a report.
var (
	// quantities are figures with a unit. Those without one are counts, which do not differ.
	quantities = regexp.MustCompile(`\d[\d.]*( [kM])? ?(ns|us|µs|ms|s|iops|[kMG]?B/s|[KMG]iB/s)\b`)
	factor     = regexp.MustCompile(`factor of [\d.]*\d`)
	// relation is how a bulkRollback compares with its DBroot.
	relation = regexp.MustCompile(`([Ii]t is) (about|[\d.]+ times) as (fast|slow) as its DBroot`)
	// trial begins a row in the table of the trials.
	trial  = regexp.MustCompile(`^ *\d+ +(cpimport|load_data) `)
	cell   = regexp.MustCompile(`^[\d–]`)
	blanks = regexp.MustCompile(` {2,}`)
)

// normalised writes what the last command wrote to stdout into a file, for cmp: normalised FILE. In text, a # takes the
// place of each figure with a unit, and of each figure in the tables of the throughput tests and trials; the published table stays. In
// JSON it takes the place of each measured value, by the name of its field, and the reference layouts are told by their
// names alone. The names of the host, the working directory
// and the file system under it are those of the variables.
func normalised(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: normalised FILE")
	}
	host, err := os.Hostname()
	ts.Check(err)
	text := ts.ReadFile("stdout")
	if strings.HasPrefix(text, "{") {
		text = normaliseJSON(ts, text)
	} else {
		text = normaliseText(text)
	}
	mounts, err := topology.ReadMounts()
	ts.Check(err)
	mount, _ := mounts.Lexical(ts.Getenv("WORK"))
	text = strings.NewReplacer(ts.Getenv("WORK"), "$WORK", mount.FSType+" "+mount.Source, "$FSTYPE $SOURCE", host, "$HOST").Replace(text)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

func normaliseText(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		switch first, _, _ := strings.Cut(line, " "); {
		case slices.Contains(throughput.Tests(), throughput.Test(first)) || trial.MatchString(line):
			line = normaliseCells(line)
		case strings.Contains(line, "on "+baseline.PublishedHost):
			line = factor.ReplaceAllString(line, "factor of #")
		default:
			line = factor.ReplaceAllString(quantities.ReplaceAllString(line, "#"), "factor of #")
			line = relation.ReplaceAllString(line, "$1 # as its DBroot")
		}
		out.WriteString(blanks.ReplaceAllString(line, "  "))
	}
	return out.String()
}

func normaliseCells(line string) string {
	cells := blanks.Split(strings.TrimSuffix(line, "\n"), -1)
	for i, c := range cells {
		if cell.MatchString(c) {
			cells[i] = "#"
		}
	}
	return strings.Join(cells, "  ") + "\n"
}

// varying are fields whose values differ; constant are those below which nothing does.
var (
	varying = regexp.MustCompile(`_(seconds|bytes|ratio|per_second)$|^(seconds|time|started|ended|last_success|version|id|device|source|` +
		`fstype|mountpoint|resolved|distance|threads|seeks|queue_length|bytes|job_load|preprocess|load|total)$`)
	constant = regexp.MustCompile(`^(settings|device_ratio)$`)
)

func normaliseJSON(ts *testscript.TestScript, text string) string {
	var tree any
	ts.Check(json.Unmarshal([]byte(text), &tree))
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	ts.Check(e.Encode(mask("", tree)))
	return out.String()
}

func mask(key string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for k, inner := range v {
			if !constant.MatchString(k) {
				v[k] = mask(k, inner)
			}
		}
		return v
	case []any:
		for i, inner := range v {
			v[i] = mask(key, inner)
			if layout, ok := v[i].(map[string]any); ok && key == "layouts" {
				v[i] = layout["name"]
			}
		}
		return v
	case string:
		if !varying.MatchString(key) {
			return strings.TrimSuffix(normaliseText(v), "\n")
		}
	}
	if varying.MatchString(key) {
		return "#"
	}
	return value
}
