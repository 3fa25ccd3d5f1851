//go:build deploy

// Package systemd_test holds the unit to what systemd itself says of it. How it works is tested with the packages.
package systemd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

const unit = "columnstore_exporter.service"

// analyze runs systemd-analyze, which must find nothing.
func analyze(t *testing.T, args ...string) {
	t.Helper()
	if output, err := exec.CommandContext(t.Context(), "systemd-analyze", args...).CombinedOutput(); err != nil || len(output) > 0 && args[0] == "verify" {
		t.Errorf("systemd-analyze %q: %v (is it installed? `make deps`)\n%s", args, err, output)
	}
}

func TestSystemdAcceptsTheUnit(t *testing.T) {
	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	// The program need not be installed here.
	text = regexp.MustCompile(`(?m)^ExecStart=\S+`).ReplaceAll(text, []byte("ExecStart=/bin/true"))
	file := filepath.Join(t.TempDir(), unit)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	analyze(t, "verify", "--man=no", file)
}

func TestExposureIsLow(t *testing.T) {
	analyze(t, "security", "--no-pager", "--offline=true", "--threshold=20", "./"+unit) // in tenths
}
