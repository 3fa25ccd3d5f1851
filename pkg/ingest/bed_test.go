//go:build linux && mariadb

package ingest_test

import (
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/mariadbtest"
)

const (
	// few is the rows of a trial in tests that do not mind.
	few      = 50
	user     = "exporter"
	password = "correct horse battery staple"
	// table is the trial's table in statements.
	table = "`columnstore_exporter`.`cptest`"
)

// bed is a server and the options of trials on it.
type bed struct {
	*mariadbtest.Server
	o    ingest.Options
	logs *observer.ObservedLogs
}

// account is the user in statements.
const account = "'" + user + "'@'localhost'"

// newBed returns a bed on a server of its own, whose trials run with exactly the grants that the documentation asks for.
func newBed(t *testing.T, options ...string) *bed {
	t.Helper()
	core, logs := observer.New(zap.DebugLevel)
	b := &bed{Server: mariadbtest.Start(t, options...), logs: logs, o: ingest.Options{
		StateDir:     filepath.Join(t.TempDir(), "state"),
		Method:       ingest.MethodAuto,
		Database:     "columnstore_exporter",
		Table:        "cptest",
		Engine:       ingest.EngineAuto,
		Rows:         few,
		MaxTableRows: 1_000_000,
		Timeout:      time.Minute,
		CpimportPath: "/nonexistent/cpimport",
		Log:          zap.New(core),
	}}
	b.o.DSN = func() (string, error) { return b.DSN(user, password), nil }
	b.Exec(t, "CREATE USER "+account+" IDENTIFIED BY '"+password+"'")
	b.Exec(t, ingest.Grants(account, b.o.Database)...)
	return b
}

func (b *bed) runner(t *testing.T) *ingest.Runner {
	t.Helper()
	r, err := ingest.New(b.o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// trial runs one trial.
func (b *bed) trial(t *testing.T) (*ingest.Trial, *ingest.Skip) {
	t.Helper()
	return b.runner(t).Trial(t.Context())
}

// succeed runs one trial, which must succeed.
func (b *bed) succeed(t *testing.T, r *ingest.Runner) *ingest.Trial {
	t.Helper()
	trial, skip := r.Trial(t.Context())
	if skip != nil {
		t.Fatalf("skipped: %+v", *skip)
	}
	if trial.Failure != "" {
		t.Fatalf("failed: %+v", *trial)
	}
	return trial
}

// skip runs one trial, which must be skipped for that reason.
func (b *bed) skip(t *testing.T, want outcome.Skip) *ingest.Skip {
	t.Helper()
	trial, skip := b.trial(t)
	if skip == nil {
		t.Fatalf("not skipped but run: %+v", *trial)
	}
	if skip.Reason != want {
		t.Fatalf("skipped: %+v, want %s", *skip, want)
	}
	return skip
}

// fail runs one trial, which must fail for that reason.
func (b *bed) fail(t *testing.T, want outcome.Failure) *ingest.Trial {
	t.Helper()
	trial, skip := b.trial(t)
	if skip != nil {
		t.Fatalf("skipped: %+v", *skip)
	}
	if trial.Failure != want {
		t.Fatalf("trial: %+v, want failure %s", *trial, want)
	}
	return trial
}

// rows returns how many rows the table has.
func (b *bed) rows(t *testing.T) string {
	t.Helper()
	return b.Value(t, "SELECT COUNT(*) FROM "+table)
}
