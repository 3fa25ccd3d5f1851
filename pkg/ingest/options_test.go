//go:build linux

package ingest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
)

func TestOptionsAreChecked(t *testing.T) {
	good := ingest.Options{
		DSN: func() (string, error) { return "", nil }, StateDir: "/nonexistent", Method: ingest.MethodCpimport, Database: "d", Table: "t",
		Engine: ingest.EngineAuto, Rows: 1, Timeout: time.Second, CpimportPath: "/usr/bin/cpimport",
	}
	if _, err := ingest.New(good); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*ingest.Options){
		"rows":            func(o *ingest.Options) { o.Rows = 0 },
		"timeout":         func(o *ingest.Options) { o.Timeout = 0 },
		"engine":          func(o *ingest.Options) { o.Engine = "InnoDB; DROP" },
		"state directory": func(o *ingest.Options) { o.StateDir = "relative" },
		"method":          func(o *ingest.Options) { o.Method = "magic" },
		"data source":     func(o *ingest.Options) { o.DSN = nil },
		"database":        func(o *ingest.Options) { o.Database = "" },
		"white space":     func(o *ingest.Options) { o.StateDir = "/a b" },
		"my db":           func(o *ingest.Options) { o.Database = "my db" },
	} {
		o := good
		spoil(&o)
		if _, err := ingest.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
}

func TestNextDue(t *testing.T) {
	started := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		ago, want time.Duration // the last trial before the start, the next after it
	}{
		"none within the interval": {7 * time.Hour, time.Minute},
		"one just now":             {0, 6 * time.Hour},
		"one an hour ago":          {time.Hour, 5 * time.Hour},
		"one nearly due":           {6*time.Hour - time.Second, time.Minute},
		"one in the future":        {-time.Hour, time.Minute},
	} {
		if got := ingest.NextDue(started, started.Add(-test.ago), 6*time.Hour).Sub(started); got != test.want {
			t.Errorf("%s: %v after the start, want %v", name, got, test.want)
		}
	}
	if got := ingest.NextDue(started, time.Time{}, 6*time.Hour).Sub(started); got != time.Minute {
		t.Errorf("none ever: %v after the start, want a minute", got)
	}
}
