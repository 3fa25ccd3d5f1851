//go:build linux && mariadb

package ingest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
)

const secret = "the wrong secret"

func TestWrongPassword(t *testing.T) {
	b := newBed(t)
	b.o.DSN = func() (string, error) { return b.DSN(user, secret), nil }
	r := b.runner(t)
	_, skip := r.Trial(t.Context())
	if skip == nil || skip.Reason != outcome.SkipSQL {
		t.Fatalf("skip %+v, want sql", skip)
	}
	health := r.Health(t.Context())
	if health.Up || health.Error == "" {
		t.Errorf("health %+v, want down", health)
	}
	b.nowhere(t, secret, skip, health)
}

// nowhere demands that a text is neither in the values nor in the log.
func (b *bed) nowhere(t *testing.T, text string, values ...any) {
	t.Helper()
	for _, entry := range b.logs.All() {
		values = append(values, entry.Message, entry.ContextMap())
	}
	for _, value := range values {
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if shown := fmt.Sprintf("%+v %s", value, encoded); strings.Contains(shown, text) {
			t.Errorf("%q shows: %s", text, shown)
		}
	}
}

func TestChangedSecret(t *testing.T) {
	b := newBed(t)
	dsn := b.DSN(user, secret)
	b.o.DSN = func() (string, error) { return dsn, nil }
	r := b.runner(t)
	if _, skip := r.Trial(t.Context()); skip == nil || skip.Reason != outcome.SkipSQL {
		t.Fatalf("skip %+v, want sql", skip)
	}
	dsn = b.DSN(user, password)
	b.succeed(t, r)
}

func TestNoDataSource(t *testing.T) {
	b := newBed(t)
	for _, dsn := range []string{
		"", secret, secret + "/", "root:" + secret + "/db", "mysql://root:" + secret + "@host/db", "root:" + secret + "@tcp(host:1/",
		"root:" + secret + "@tcp(host:1)/?strict=true", "root:" + secret + "@tcp(host:1)/?tls=" + secret,
	} {
		b.o.DSN = func() (string, error) { return dsn, nil }
		skip := b.skip(t, outcome.SkipSQL)
		if dsn != "" {
			b.nowhere(t, secret, skip)
		}
	}
	b.o.DSN = func() (string, error) { return "", errors.New("the file is empty") }
	if skip := b.skip(t, outcome.SkipSQL); !strings.Contains(skip.Detail, "the file is empty") {
		t.Errorf("skip %+v does not say why", *skip)
	}
}

func TestKilledServer(t *testing.T) {
	b := newBed(t)
	r := b.runner(t)
	b.succeed(t, r)
	b.o.Rows = 10_000
	b.o.OnInFlight = func(started time.Time) {
		if !started.IsZero() {
			b.Kill()
		}
	}
	b.fail(t, outcome.SQL)
	b.skip(t, outcome.SkipSQL)
	if health := r.Health(t.Context()); health.Up {
		t.Errorf("health %+v, want down", health)
	}
	b.Run(t)
	before := b.rows(t)
	trial := b.succeed(t, r)
	if before != "100" || trial.TableRows != 3*few {
		t.Errorf("%s rows after the crash and %d after one more trial, want 100 and 150", before, trial.TableRows)
	}
}

func TestHungServer(t *testing.T) {
	b := newBed(t)
	r := b.runner(t)
	b.succeed(t, r)
	b.Signal(t, syscall.SIGSTOP)
	health := r.Health(t.Context())
	b.Signal(t, syscall.SIGCONT)
	if health.Up || health.Error == "" {
		t.Errorf("health of a server that is stopped: %+v", health)
	}
	b.succeed(t, r)
}

func TestLockedBefore(t *testing.T) {
	b := newBed(t)
	b.succeed(t, b.runner(t))
	unlock := b.lock(t)
	b.skip(t, outcome.SkipLocked)
	unlock()
	b.succeed(t, b.runner(t))
}

// lock locks the trial's table in another session.
func (b *bed) lock(t *testing.T) (unlock func()) {
	t.Helper()
	db := b.Open(t, "root", "")
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "LOCK TABLES "+table+" WRITE"); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := db.ExecContext(t.Context(), "UNLOCK TABLES"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLockedInBetween(t *testing.T) {
	b := newBed(t)
	b.succeed(t, b.runner(t))
	var unlock func()
	b.o.OnPhase = func(phase string) {
		if phase == ingest.PhaseImport {
			unlock = b.lock(t)
		}
	}
	b.fail(t, outcome.Locked)
	unlock()
	b.o.OnPhase = nil
	b.succeed(t, b.runner(t))
}

func TestReadOnly(t *testing.T) {
	b := newBed(t)
	b.succeed(t, b.runner(t))
	b.o.OnPhase = func(phase string) {
		if phase == ingest.PhaseImport {
			b.Exec(t, "SET GLOBAL read_only=1")
		}
	}
	b.fail(t, outcome.ReadOnly)
	b.skip(t, outcome.SkipReadOnly)
}

func TestSmallStateDirectory(t *testing.T) {
	b := newBed(t)
	b.o.Rows = 10_000
	b.o.StateDir = tmpfs(t, filepath.Join(t.TempDir(), "state"), "8M")
	b.skip(t, outcome.SkipDiskSpace)
	if entries, err := filepath.Glob(b.o.StateDir + "/*.csv*"); err != nil || len(entries) > 0 {
		t.Errorf("left in the state directory: %v (%v)", entries, err)
	}
	b.o.StateDir = "/proc/nonexistent"
	b.skip(t, outcome.SkipCSV)
}

// tmpfs mounts a file system of that size until the test ends.
func tmpfs(t *testing.T, path, size string) string {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", path, "tmpfs", 0, "size="+size); err != nil {
		t.Fatalf("mount a tmpfs: %v: run this test as root", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(path, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return path
}

// Under all of the server's files, a full disk makes InnoDB abort: here it is under the trial's table alone.
func TestFullDisk(t *testing.T) {
	b := newBed(t)
	b.o.Rows = 10_000
	b.Exec(t, "CREATE DATABASE columnstore_exporter")
	disk := tmpfs(t, filepath.Join(b.Value(t, "SELECT @@datadir"), b.o.Database), "20M")
	if trial := b.fail(t, outcome.SQL); !strings.Contains(trial.Error, "is full") {
		t.Errorf("error %q does not say why", trial.Error)
	}
	if rows := b.rows(t); rows != "0" {
		t.Errorf("%s rows, want none", rows)
	}
	if err := unix.Mount("tmpfs", disk, "tmpfs", unix.MS_REMOUNT, "size=200M"); err != nil {
		t.Fatal(err)
	}
	if trial := b.succeed(t, b.runner(t)); trial.TableRows != 20_000 {
		t.Errorf("trial %+v, want 20000 rows in the table", *trial)
	}
}

func TestNoLocalInfile(t *testing.T) {
	b := newBed(t)
	b.Exec(t, "SET GLOBAL local_infile=0")
	if trial := b.fail(t, outcome.SQL); !strings.Contains(trial.Error, "local_infile=1") {
		t.Errorf("error %q does not say what to do", trial.Error)
	}
}

func TestHealth(t *testing.T) {
	b := newBed(t)
	r := b.runner(t)
	health := r.Health(t.Context())
	if !health.Up || health.Error != "" || health.ColumnStore || health.Time.IsZero() || !strings.Contains(health.Version, "MariaDB") {
		t.Errorf("health %+v", health)
	}
	if health.Ready != nil || health.ReadOnly != nil || health.Primary != nil || health.TableLocks != nil || health.TableLocked != nil {
		t.Errorf("a state of ColumnStore without ColumnStore: %+v", health)
	}
	r.Health(t.Context())
	b.succeed(t, r)
	if said := b.logs.FilterMessageSnippet("no ColumnStore").Len(); said != 1 {
		t.Errorf("said %d times that there is no ColumnStore, want once", said)
	}
}

func TestBinaryLogIsLeftAlone(t *testing.T) {
	b := newBed(t, "--log-bin", "--server-id=1")
	if skip := b.skip(t, outcome.SkipSQL); !strings.Contains(skip.Detail, "BINLOG ADMIN") {
		t.Errorf("skip %+v does not say what to grant", *skip)
	}
	b.Exec(t, ingest.BinlogGrants(account)...)
	b.o.MaxTableRows = 2 * few // it is made, filled, and made anew
	r := b.runner(t)
	b.succeed(t, r)
	b.succeed(t, r)
	if logged := b.Column(t, "SHOW BINLOG EVENTS", "Info"); strings.Contains(strings.Join(logged, "\n"), "cptest") {
		t.Errorf("the binary log tells of the trials:\n%s", strings.Join(logged, "\n"))
	}
}
