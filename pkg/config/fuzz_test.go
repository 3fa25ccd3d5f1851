package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/config"
)

// FuzzLoad gives one variable any text: Load either blames that variable without showing a secret, or returns settings
// that survive being written and read.
func FuzzLoad(f *testing.F) {
	reference := config.Reference()
	for i, v := range reference {
		f.Add(i, v.Default)
		f.Add(i, "0")
		f.Add(i, "1=/a,b=/c")
	}
	f.Fuzz(func(t *testing.T, which int, text string) {
		v := reference[uint(which)%uint(len(reference))]
		validated, _, err := config.Load([]string{v.Name + "=" + text})
		if err != nil {
			blames(t, v, text, err)
			return
		}
		var effective strings.Builder
		if err = config.WriteEffective(&effective, validated); err != nil {
			t.Fatal(err)
		}
		want := validated.Settings()
		if v.Secret {
			want.Ingest.DSN = config.Secret{}
		}
		lines := strings.Split(strings.ReplaceAll(effective.String(), "=***\n", "=\n"), "\n")
		again, _, err := config.Load(lines)
		if err != nil {
			t.Fatalf("%v, from\n%s", err, effective.String())
		}
		if diff := cmp.Diff(want, again.Settings()); diff != "" {
			t.Errorf("%s=%q changed on the way (-want +got):\n%s", v.Name, text, diff)
		}
	})
}

// blames wants each line of the error to begin with a variable, the one at fault among them, and no secret in any.
func blames(t *testing.T, v config.Variable, text string, err error) {
	t.Helper()
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if !strings.HasPrefix(line, config.Prefix+"_") {
			t.Errorf("%s=%q: a line names no variable: %s", v.Name, text, line)
		}
	}
	if !strings.Contains(err.Error(), v.Name) {
		t.Errorf("%s=%q: the error names others only: %v", v.Name, text, err)
	}
	if v.Secret && len(text) > len("user:password@tcp(host:3306)/") && strings.Contains(err.Error(), text) {
		t.Errorf("the error shows the secret: %v", err)
	}
}
