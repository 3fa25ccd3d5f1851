//go:build linux

// Package mariadbtest gives tests a MariaDB server of their own: Debian's mariadbd on a socket in a temporary directory.
// Its user root has no password.
package mariadbtest

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// patience is how long the server is waited for; it takes a second or two on an idle machine.
const patience = 2 * time.Minute

// Server is a running server.
type Server struct {
	// Socket is where it listens.
	Socket string

	dir     string
	options []string
	process *exec.Cmd
	exited  chan struct{}
	printed *bytes.Buffer
}

// Start makes a server with the options of mariadbd and runs it until the test ends.
func Start(t testing.TB, options ...string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "mariadbtest") // the test's own directory may be too long a path for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &Server{Socket: filepath.Join(dir, "socket"), dir: dir, options: options}
	s.install(t)
	t.Cleanup(func() {
		s.Kill(t)
		if t.Failed() {
			t.Logf("mariadbd printed:\n%s", s.printed)
		}
	})
	s.Run(t)
	return s
}

// install makes the data directory, small and not durable beyond the process.
func (s *Server) install(t testing.TB) {
	t.Helper()
	cmd := s.command(t, "mariadb-install-db", "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, output)
	}
}

// command returns a program of the server that outlives the test's context.
func (s *Server) command(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		path = filepath.Join("/usr/sbin", name)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s is missing: install mariadb-server-core and mariadb-client-core", name)
	}
	who, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	common := []string{
		"--no-defaults", "--user=" + who.Username, "--datadir=" + filepath.Join(s.dir, "data"),
		"--innodb-buffer-pool-size=32M", "--innodb-log-file-size=16M", "--innodb-flush-log-at-trx-commit=2",
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), path, slices.Concat(common, args)...)
	// A Ctrl-C is the test's to handle; a test that panics takes its server along.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return cmd
}

// Run starts the server after Kill or Stop, and returns once it answers.
func (s *Server) Run(t testing.TB) {
	t.Helper()
	s.printed = &bytes.Buffer{}
	s.process = s.command(t, "mariadbd", slices.Concat([]string{
		"--socket=" + s.Socket, "--pid-file=" + filepath.Join(s.dir, "pid"), "--skip-networking", "--local-infile=1",
	}, s.options)...)
	s.process.Stdout, s.process.Stderr = s.printed, s.printed
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	process, exited := s.process, make(chan struct{})
	s.exited = exited
	go func() {
		_ = process.Wait() // a signal ends it
		close(exited)
	}()
	s.await(t)
}

// await returns once the server answers.
func (s *Server) await(t testing.TB) {
	t.Helper()
	db := s.Open(t, "root", "")
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); ; {
		err := db.PingContext(t.Context())
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("mariadbd does not answer: %v", err)
		}
		select {
		case <-s.exited:
			t.Fatalf("mariadbd has ended:\n%s", s.printed)
		case <-tick.C:
		}
	}
}

// Signal sends the server a signal, such as SIGSTOP.
func (s *Server) Signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	if err := s.process.Process.Signal(signal); err != nil {
		t.Fatalf("signal mariadbd: %v", err)
	}
}

// Kill ends the server at once, as a crash does. It is no error when it has ended.
func (s *Server) Kill(testing.TB) {
	_ = s.process.Process.Kill() // it may have ended
	<-s.exited
}

// DSN returns the data source name of a user.
func (s *Server) DSN(user, password string) string {
	config := mysql.NewConfig()
	config.User, config.Passwd, config.Net, config.Addr = user, password, "unix", s.Socket
	return config.FormatDSN()
}

// Open returns the database as a user sees it, closed when the test ends.
func (s *Server) Open(t testing.TB, user, password string) *sql.DB {
	t.Helper()
	config, err := mysql.ParseDSN(s.DSN(user, password))
	if err != nil {
		t.Fatal(err)
	}
	config.Logger = &mysql.NopLogger{} // the server is killed now and then
	connector, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Exec runs statements as root.
func (s *Server) Exec(t testing.TB, statements ...string) {
	t.Helper()
	db := s.Open(t, "root", "")
	defer db.Close() //nolint:errcheck // as above
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// Value returns the one value that a question of root's is answered with.
func (s *Server) Value(t testing.TB, question string, args ...any) string {
	t.Helper()
	db := s.Open(t, "root", "")
	defer db.Close() //nolint:errcheck // as above
	var value sql.NullString
	if err := db.QueryRowContext(t.Context(), question, args...).Scan(&value); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", question, err))
	}
	return value.String
}

// Column returns the values of one column of the answer to a question of root's.
func (s *Server) Column(t testing.TB, question, column string) (values []string) {
	t.Helper()
	db := s.Open(t, "root", "")
	defer db.Close() //nolint:errcheck // as above
	rows, err := db.QueryContext(t.Context(), question)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", question, err))
	}
	defer rows.Close() //nolint:errcheck // Err tells
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	row, places := make([]sql.RawBytes, len(names)), make([]any, len(names))
	for i := range row {
		places[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			t.Fatal(err)
		}
		values = append(values, string(row[slices.Index(names, column)]))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return values
}
