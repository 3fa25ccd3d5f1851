package config_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/config"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestGolden(t *testing.T) {
	for path, write := range map[string]func(io.Writer) error{
		"testdata/reference.md":                         config.WriteMarkdown,
		"../../deploy/columnstore_exporter.env.example": config.WriteExample,
		"testdata/effective.env":                        writeEffective,
	} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s is out of date; run `make generate` (-file +now):\n%s", path, diff)
		}
	}
}

// writeEffective writes settings of which some are set.
func writeEffective(w io.Writer) error {
	validated, _, err := config.Load(environ("INGEST_DSN=user:"+password+"@/", "DBROOTS=/a, /b", "LATENCY_INTERVAL=5m0s", "THROUGHPUT_TESTS=,", "LOG_LEVEL="))
	if err != nil {
		return err
	}
	return config.WriteEffective(w, validated)
}

func TestEffectiveSettingsLoadAgain(t *testing.T) {
	entries := environ("DBROOTS=/a,9=/b", "EXTRA_DIRECTORIES=/c", "LATENCY_INTERVAL=90m", "LATENCY_REQUEST_INTERVAL=2500us", "THROUGHPUT_MIN_FREE=2.50%", "LATENCY_WORKING_SET=10000KiB")
	first, _, err := config.Load(entries)
	if err != nil {
		t.Fatal(err)
	}
	var effective strings.Builder
	if err = config.WriteEffective(&effective, first); err != nil {
		t.Fatal(err)
	}
	second, warnings, err := config.Load(strings.Split(effective.String(), "\n"))
	if err != nil || len(warnings) > 0 {
		t.Fatalf("error %v, warnings %v, from\n%s", err, warnings, effective.String())
	}
	if diff := cmp.Diff(first.Settings(), second.Settings()); diff != "" {
		t.Errorf("settings changed on the way (-first +second):\n%s", diff)
	}
}

func TestDefaultsAreWrittenAsTheyAreShown(t *testing.T) {
	validated, _, err := config.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	var effective strings.Builder
	if err = config.WriteEffective(&effective, validated); err != nil {
		t.Fatal(err)
	}
	for _, v := range config.Reference() {
		if line := v.Name + "=" + v.Default + "\n"; !strings.Contains(effective.String(), line) {
			t.Errorf("no line %q in\n%s", line, effective.String())
		}
	}
}

func TestReferenceIsComplete(t *testing.T) {
	name := regexp.MustCompile(`^COLUMNSTORE_EXPORTER(_[A-Z]+)+$`)
	seen := map[string]bool{}
	for _, v := range config.Reference() {
		if !name.MatchString(v.Name) || seen[v.Name] {
			t.Errorf("%s is not a name, or there twice", v.Name)
		}
		seen[v.Name] = true
		if !strings.HasSuffix(v.Meaning, ".") || strings.ContainsAny(v.Meaning, "|\n") {
			t.Errorf("%s: %q is not a sentence for a table", v.Name, v.Meaning)
		}
		if v.Secret != (v.Name == "COLUMNSTORE_EXPORTER_INGEST_DSN") {
			t.Errorf("%s: secret %v", v.Name, v.Secret)
		}
		// Kubernetes would set it for a service of the exporter's name.
		if strings.HasSuffix(v.Name, "_PORT") || strings.Contains(v.Name, "_SERVICE_") {
			t.Errorf("%s looks like a service link", v.Name)
		}
	}
}
