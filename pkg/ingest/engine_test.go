//go:build linux && columnstore

package ingest_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/transcript"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest"
)

const (
	socket       = "/run/columnstore/mariadbd.sock"
	rootDSN      = "root@unix(" + socket + ")/"
	exporterDSN  = "trials:trials@unix(" + socket + ")/"
	engineTable  = "columnstore_exporter.cptest"
	bulkRollback = "/var/lib/columnstore/data1/bulkRollback"
	jobLog       = "/var/log/mariadb/columnstore/cpimport/Job_1057010570.log"
	// exporterMark makes the test binary an exporter that runs one trial and ends at SIGTERM; the state directory follows.
	exporterMark = "run-one-trial"
	// soon is how long the engine is waited for.
	soon = 3 * time.Minute
)

// TestMain is also the stand-in for cpimport and an exporter. It stops the engine that the tests have started.
func TestMain(m *testing.M) {
	cpimporttest.Main()
	if len(os.Args) == 3 && os.Args[1] == exporterMark {
		os.Exit(runExporter(os.Args[2]))
	}
	status := m.Run()
	if err := control(context.Background(), "stop").Run(); err != nil {
		fmt.Fprintln(os.Stderr, "stop the engine:", err)
		status = 1
	}
	os.Exit(status)
}

// control returns a command of the engine's test bed.
func control(ctx context.Context, args ...string) *exec.Cmd {
	bed := os.Getenv("COLUMNSTORE_BED")
	if bed == "" {
		bed = "../../../shared/columnstore"
	}
	return exec.CommandContext(ctx, filepath.Join(bed, "columnstore"), args...)
}

// engine is the real ColumnStore and the options of trials on it.
type engine struct {
	o  ingest.Options
	db *sql.DB
}

// startEngine returns an engine that runs, whatever was done to it before.
func startEngine(t *testing.T) *engine {
	t.Helper()
	if _, err := os.Stat("/opt/columnstore"); err != nil { // under a running engine, it would put back its first configuration
		bedCommand(t, "install")
	}
	bedCommand(t, "start")
	db, err := sql.Open("mysql", rootDSN)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	e := &engine{db: db, o: options(filepath.Join(t.TempDir(), "state"), zaptest.NewLogger(t))}
	e.exec(t, "CREATE OR REPLACE USER trials@localhost IDENTIFIED BY 'trials'")
	e.exec(t, ingest.Grants("trials@localhost", e.o.Database)...)
	e.exec(t, ingest.ColumnStoreGrants("trials@localhost")...)
	return e
}

// brokenPipe is the status of a shell whose pipeline lost its reader: that of the bed's start does, now and then.
const brokenPipe = 128 + int(syscall.SIGPIPE)

func bedCommand(t *testing.T, name string) {
	t.Helper()
	for {
		command := control(t.Context(), name)
		output, err := command.CombinedOutput()
		if err == nil {
			return
		}
		if command.ProcessState.ExitCode() != brokenPipe {
			t.Fatalf("columnstore %s: %v\n%s", name, err, output)
		}
	}
}

func options(state string, log *zap.Logger) ingest.Options {
	return ingest.Options{
		DSN:          func() (string, error) { return exporterDSN, nil },
		StateDir:     state,
		Method:       ingest.MethodAuto,
		Database:     "columnstore_exporter",
		Table:        "cptest",
		Engine:       ingest.EngineAuto,
		Rows:         10_000,
		MaxTableRows: 150_000,
		Timeout:      10 * time.Minute,
		CpimportPath: "/usr/bin/cpimport",
		Log:          log,
	}
}

// runExporter runs a trial and leaves it at once when it is told to.
func runExporter(state string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	r, err := ingest.New(options(state, zap.NewNop()))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if _, skip := r.Trial(ctx); skip != nil {
		fmt.Fprintf(os.Stderr, "%+v\n", *skip)
		return 1
	}
	return 0
}

func (e *engine) runner(t *testing.T) *ingest.Runner {
	t.Helper()
	r, err := ingest.New(e.o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// trial runs one trial of a new process, as it were.
func (e *engine) trial(t *testing.T) (*ingest.Trial, *ingest.Skip) {
	t.Helper()
	return e.runner(t).Trial(t.Context())
}

// succeed runs one trial, which must succeed.
func (e *engine) succeed(t *testing.T) *ingest.Trial {
	t.Helper()
	trial, skip := e.trial(t)
	if skip != nil {
		t.Fatalf("skipped: %+v", *skip)
	}
	if trial.Failure != "" {
		t.Fatalf("failed: %+v", *trial)
	}
	return trial
}

// skip runs one trial, which must be skipped for that reason.
func (e *engine) skip(t *testing.T, want outcome.Skip) {
	t.Helper()
	trial, skip := e.trial(t)
	if skip == nil {
		t.Fatalf("not skipped but run: %+v", *trial)
	}
	if skip.Reason != want {
		t.Errorf("skipped: %+v, want %s", *skip, want)
	}
}

func (e *engine) exec(t *testing.T, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := e.db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func (e *engine) rows(t *testing.T) (rows int64) {
	t.Helper()
	if err := e.db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+engineTable).Scan(&rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// tool runs a program of ColumnStore as its user.
func tool(t *testing.T, args ...string) string {
	t.Helper()
	all := append([]string{"--reuid=mysql", "--regid=mysql", "--init-groups"}, args...)
	output, err := exec.CommandContext(t.Context(), "setpriv", all...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, output)
	}
	return string(output)
}

// locks returns all table locks, as the engine's own tool tells them.
func locks(t *testing.T) []transcript.Lock {
	t.Helper()
	text := tool(t, "viewtablelock")
	locks, err := transcript.ParseLocks(text)
	if err != nil {
		t.Fatal(err)
	}
	return locks
}

// entries returns the number of tables in bulkRollback.
func rollbackEntries(t *testing.T) int {
	t.Helper()
	n, err := ingest.CountBulkRollbackEntries(bulkRollback)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// await polls until done reports true.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(soon); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for %s", soon, what)
		}
	}
}

// ours tells whether a path is of the trial's own job.
func ours(path string) bool { return strings.Contains(path, "Job_1057010570") }
