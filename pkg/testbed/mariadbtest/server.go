//go:build linux

// Package mariadbtest gives tests a MariaDB server of their own: Debian's mariadbd on a socket in a temporary directory.
// Its user root has no password.
package mariadbtest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
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

// Start makes a server with further options of mariadbd and runs it until the test ends.
func Start(t testing.TB, options ...string) *Server {
	t.Helper()
	s := &Server{dir: t.TempDir(), options: options}
	s.Socket = filepath.Join(s.dir, "socket")
	if len(s.Socket) > longestSocket {
		t.Fatalf("the name of the test is too long for a socket: %s", s.Socket)
	}
	if err := os.CopyFS(s.data(), os.DirFS(template(t))); err != nil {
		t.Fatal(err)
	}
	s.Run(t)
	t.Cleanup(func() {
		s.Kill()
		if t.Failed() {
			t.Logf("mariadbd printed:\n%s", s.printed)
		}
	})
	return s
}

// longestSocket is the longest path of a socket that the kernel takes.
const longestSocket = 107

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// template returns a data directory to copy, made once for all tests of all times: that takes ten times as long as a
// start of the server.
func template(t testing.TB) string {
	t.Helper()
	program, err := os.Stat(find(t, "mariadbd"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	version := strconv.FormatInt(program.ModTime().Unix(), 36) + "-" + strconv.FormatInt(program.Size(), 36)
	path := filepath.Join(cache, "columnstore_exporter", "mariadbtest", version)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	unfinished := filepath.Join(t.TempDir(), "data")
	testbed.Must(t, command(t, "mariadb-install-db", unfinished, "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"))
	return keep(t, unfinished, path)
}

// keep puts a finished directory in its place, all at once, where another test may have put one meanwhile.
func keep(t testing.TB, finished, path string) string {
	t.Helper()
	near, err := os.MkdirTemp(filepath.Dir(path), "new")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(near)
	if err := os.CopyFS(filepath.Join(near, "data"), os.DirFS(finished)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(near, "data"), path); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	return path
}

func find(t testing.TB, name string) string {
	t.Helper()
	for _, path := range []string{name, "/usr/sbin/" + name} {
		if found, err := exec.LookPath(path); err == nil {
			return found
		}
	}
	t.Fatalf("%s is missing: run `make deps`", name)
	return ""
}

// command returns a program of the server that works on a data directory. It outlives the test's context.
func command(t testing.TB, name, data string, args ...string) *exec.Cmd {
	t.Helper()
	who, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(context.WithoutCancel(t.Context()), find(t, name), append(common(who.Username, data), args...)...)
}

// common are the options of all programs of the server, run by a user.
func common(name, data string) []string {
	return []string{
		"--no-defaults", "--user=" + name, "--datadir=" + data,
		"--innodb-buffer-pool-size=32M", "--innodb-log-file-size=8M", "--innodb-flush-log-at-trx-commit=2",
	}
}

// listening are the options of a server whose files are in dir.
func listening(dir string) []string {
	return []string{"--socket=" + filepath.Join(dir, "socket"), "--pid-file=" + filepath.Join(dir, "pid"), "--skip-networking", "--local-infile=1"}
}

// Run starts the server after Kill or Stop, and returns once it answers.
func (s *Server) Run(t testing.TB) {
	t.Helper()
	s.printed = &bytes.Buffer{}
	s.process = command(t, "mariadbd", s.data(), slices.Concat(listening(s.dir), s.options)...)
	// A Ctrl-C is the test's to handle; a test that panics takes its server along.
	s.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
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
func (s *Server) Kill() {
	_ = s.process.Process.Kill() // it may have ended
	<-s.exited
}

// DSN returns the data source name of a user.
func (s *Server) DSN(name, password string) string {
	config := mysql.NewConfig()
	config.User, config.Passwd, config.Net, config.Addr = name, password, "unix", s.Socket
	return config.FormatDSN()
}

// Open returns the database as a user sees it, closed when the test ends.
func (s *Server) Open(t testing.TB, name, password string) *sql.DB {
	t.Helper()
	config, err := mysql.ParseDSN(s.DSN(name, password))
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
	defer db.Close()
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
	defer db.Close()
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
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), question)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", question, err))
	}
	defer rows.Close()
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
