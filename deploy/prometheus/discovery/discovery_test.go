//go:build prometheus

// Package discovery_test holds the examples to promtool. What they make of what is discovered is tested in deploy/test.
package discovery_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestPromtoolAcceptsTheExamples(t *testing.T) {
	examples, err := filepath.Glob("*.yml")
	if err != nil || len(examples) == 0 {
		t.Fatalf("%d examples (error %v)", len(examples), err)
	}
	for _, example := range examples {
		t.Run(example, func(t *testing.T) {
			text, err := os.ReadFile(example)
			if err != nil {
				t.Fatal(err)
			}
			// Debian builds its Prometheus without Kubernetes.
			known := strings.Replace(string(text), "kubernetes_sd_configs:\n      - role: pod\n", "static_configs: []\n", 1)
			file := filepath.Join(t.TempDir(), example)
			if err := os.WriteFile(file, []byte(known), 0o600); err != nil {
				t.Fatal(err)
			}
			if output, err := exec.CommandContext(t.Context(), "promtool", "check", "config", "--lint=all", file).CombinedOutput(); err != nil {
				t.Errorf("promtool: %v (is it installed? `make deps`)\n%s", err, output)
			}
		})
	}
}
