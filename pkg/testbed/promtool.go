//go:build linux

package testbed

import (
	"strings"
	"testing"
)

// PromtoolCheckMetrics fails the test where `promtool check metrics` has anything to say of the text exposition.
func PromtoolCheckMetrics(t testing.TB, exposition string) {
	t.Helper()
	cmd := command(t, "promtool", "check", "metrics")
	cmd.Stdin = strings.NewReader(exposition)
	if said := Must(t, cmd); said != "" {
		t.Errorf("promtool check metrics:\n%s", said)
	}
}
