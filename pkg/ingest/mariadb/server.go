// Package mariadb asks a MariaDB server, with or without ColumnStore, what an import trial has to know, and loads the
// trial's rows through SQL. It never shows the data source name.
package mariadb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
)

const (
	// mark is in front of every statement: process lists and logs then tell whose it is.
	mark = "/* columnstore_exporter */ "
	// dialTimeout bounds the making of a connection where the data source name does not.
	dialTimeout = 5 * time.Second
	// askTimeout bounds every question, on the server's side and on ours.
	askTimeout = 30 * time.Second
	// lockWait is how many seconds a statement waits for a lock of another session.
	lockWait = 5
)

// Server is a MariaDB server. Its methods may be used by several goroutines; there is one connection at a time.
type Server struct {
	dsn  func() (string, error)
	slot chan struct{}
}

// NewServer returns the server that dsn leads to. It is asked at every connection, as a secret may be replaced.
func NewServer(dsn func() (string, error)) *Server {
	return &Server{dsn: dsn, slot: make(chan struct{}, 1)}
}

// Session is one connection. The server's next session waits for its end.
type Session struct {
	server *Server
	db     *sql.DB
	conn   *sql.Conn
	// id is the server's number of the connection.
	id int64
	// release lets the server's next session begin; it may be called more than once.
	release func()
}

// ErrBusy is wrapped by the error of Open when another session did not end in time.
var ErrBusy = errors.New("another statement of the exporter is under way")

// Open makes a connection once the one before it has ended. Close it after use.
func (s *Server) Open(ctx context.Context) (*Session, error) {
	select {
	case s.slot <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the connection: %w: %w", ErrBusy, ctx.Err())
	}
	session, err := s.connect(ctx)
	if err != nil {
		<-s.slot
		return nil, err
	}
	session.release = sync.OnceFunc(func() { <-s.slot })
	return session, nil
}

// connect makes a connection whatever others there are.
func (s *Server) connect(ctx context.Context) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout) // a server that accepts may yet say nothing
	defer cancel()
	config, err := s.config()
	if err != nil {
		return nil, err
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, errDSN
	}
	db := sql.OpenDB(connector)
	conn, err := db.Conn(ctx)
	if err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	session := &Session{server: s, db: db, conn: conn, release: func() {}}
	if err := session.prepare(ctx); err != nil {
		session.Close()
		return nil, err
	}
	return session, nil
}

// errDSN stands for what the driver says about a data source name, as that may quote the password.
var errDSN = errors.New("not a data source name of go-sql-driver; write it like user:password@tcp(host:3306)/ or user@unix(/socket)/")

// config returns the driver's settings. Of the data source name it leaves out what would spoil a trial: the database, which
// need not exist yet, and time limits that a long load would run into.
func (s *Server) config() (config *mysql.Config, err error) {
	dsn, err := s.dsn()
	if err != nil {
		return nil, fmt.Errorf("read the data source name: %w", err)
	}
	// The driver panics at the parameter strict, which it once had.
	defer func() {
		if recover() != nil {
			config, err = nil, errDSN
		}
	}()
	config, err = mysql.ParseDSN(dsn)
	if err != nil || !slices.Contains([]string{"tcp", "tcp4", "tcp6", "unix"}, config.Net) {
		return nil, errDSN // of a text without an @, what is before the slash would be shown as an unknown network
	}
	config.DBName = ""
	config.ReadTimeout, config.WriteTimeout = 0, 0
	config.AllowAllFiles, config.MultiStatements = false, false
	config.InterpolateParams = true
	config.ConnectionAttributes = "program_name:columnstore_exporter"
	config.Logger = &mysql.NopLogger{}
	if config.Timeout == 0 {
		config.Timeout = dialTimeout
	}
	return config, nil
}

// Close ends the connection, and with it whatever it still does.
func (s *Session) Close() {
	_ = s.conn.Close()
	_ = s.db.Close()
	s.release()
}
