//go:build prometheus

package prometheus_test

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// promtool must succeed. Debian 12's is of the oldest Prometheus that the rules are for.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	if output, err := exec.CommandContext(t.Context(), "promtool", args...).CombinedOutput(); err != nil {
		t.Errorf("promtool %q: %v (is it installed? `make deps`)\n%s", args, err, output)
	}
}

func TestPromtoolAcceptsTheConfiguration(t *testing.T) {
	promtool(t, "check", "config", "--lint=all", "--lint-fatal", "prometheus.yml")
}

func TestPromtoolAcceptsTheRules(t *testing.T) {
	promtool(t, append([]string{"check", "rules", "--lint=all", "--lint-fatal"}, files(t, "rules/*.yml")...)...)
}

func TestPromtoolRunsTheCases(t *testing.T) {
	for _, file := range files(t, "tests/*.yml") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			promtool(t, "test", "rules", file)
		})
	}
}
