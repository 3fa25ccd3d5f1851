//go:build linux

// Package columnstore gives tests a real ColumnStore on one node: the bed in COLUMNSTORE_BED. A machine has one, on fixed
// paths and ports, so that tests which use it run one after the other.
package columnstore

import (
	"context"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	_ "github.com/go-sql-driver/mysql" // the driver of that name
)

// Where the engine has what tests look at.
const (
	DBRoot       = "/var/lib/columnstore/data1"
	BulkRollback = DBRoot + "/bulkRollback"
	Config       = "/etc/columnstore/Columnstore.xml"

	programs = "/opt/columnstore"
	data     = "/var/lib/columnstore"
	socket   = "/run/columnstore/mariadbd.sock"
)

// Bed returns the directory of the bed.
func Bed(t testing.TB) string {
	t.Helper()
	bed := os.Getenv("COLUMNSTORE_BED")
	if _, err := os.Stat(filepath.Join(bed, "columnstore")); err != nil {
		t.Fatalf("COLUMNSTORE_BED=%q: %v: run make test-columnstore", bed, err)
	}
	return bed
}

// Engine is the machine's ColumnStore.
type Engine struct{ control string }

// Start returns a new engine that runs until the test ends: without tables, and without bulkRollback, which the first
// import makes. Its data are gone after the test.
func Start(t testing.TB) *Engine {
	t.Helper()
	e := &Engine{control: filepath.Join(Bed(t), "columnstore")}
	if _, err := os.Stat(programs); err != nil { // under a running engine, it would put back its first configuration
		if _, err := os.Stat(data); err == nil {
			t.Fatalf("%s is there without %s: this machine has a ColumnStore that is not for tests", data, programs)
		}
		e.do(t, "install")
	}
	e.do(t, "wipe")
	t.Cleanup(func() { e.do(t, "wipe") })
	e.Run(t)
	return e
}

// Run starts the engine after Stop, whatever was done to it.
func (e *Engine) Run(t testing.TB) {
	t.Helper()
	e.do(t, "start")
}

// Stop ends all of the engine's processes, the database server too.
func (e *Engine) Stop(t testing.TB) {
	t.Helper()
	e.do(t, "stop")
}

// brokenPipe is the status of a shell whose pipeline lost its reader: that of the bed's start does, now and then.
const brokenPipe = 128 + int(syscall.SIGPIPE)

// do runs a command of the bed, also once the test has ended.
func (e *Engine) do(t testing.TB, command string) {
	t.Helper()
	for {
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), e.control, command)
		output, err := cmd.CombinedOutput()
		if err == nil {
			return
		}
		if cmd.ProcessState.ExitCode() != brokenPipe {
			t.Fatalf("columnstore %s: %v\n%s", command, err, output)
		}
	}
}

// DSN returns the data source name of a user.
func (e *Engine) DSN(name, password string) string {
	return name + ":" + password + "@unix(" + socket + ")/"
}

// Exec runs statements as root.
func (e *Engine) Exec(t testing.TB, statements ...string) {
	t.Helper()
	db := e.open(t)
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// Rows returns how many rows a table has.
func (e *Engine) Rows(t testing.TB, table string) (rows int64) {
	t.Helper()
	db := e.open(t)
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&rows); err != nil {
		t.Fatalf("count the rows of %s: %v", table, err)
	}
	return rows
}

func (e *Engine) open(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", e.DSN("root", ""))
	if err != nil {
		t.Fatal(err)
	}
	return db
}
