package mariadb

import (
	"context"
	"errors"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cptest"
)

// Table names a table.
type Table struct{ Database, Name string }

// Quoted returns the name as it stands in a statement.
func (t Table) Quoted() string { return Quote(t.Database) + "." + Quote(t.Name) }

// String returns the name for a person, and as it stands in a list of locks.
func (t Table) String() string { return t.Database + "." + t.Name }

// Description is what a table looks like.
type Description struct {
	// Kind is BASE TABLE, VIEW or another TABLE_TYPE.
	Kind    string
	Engine  string
	Comment string
	Columns []cptest.Column
}

// Describe returns what a table looks like; found tells whether it is there.
func (s *Session) Describe(ctx context.Context, t Table) (d Description, found bool, err error) {
	name := []any{t.Database, t.Name}
	err = s.ask(ctx, `SELECT TABLE_TYPE, COALESCE(ENGINE, ''), TABLE_COMMENT FROM information_schema.TABLES
		WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?`, name, &d.Kind, &d.Engine, &d.Comment)
	if isNone(err) {
		return d, false, nil
	}
	if err != nil {
		return d, false, err
	}
	err = s.askRows(ctx, `SELECT COLUMN_NAME, COLUMN_TYPE, COALESCE(CHARACTER_SET_NAME, '') FROM information_schema.COLUMNS
		WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION`, name, func(scan func(...any) error) error {
		var c cptest.Column
		err := scan(&c.Name, &c.Type, &c.Charset)
		d.Columns = append(d.Columns, c)
		return err
	})
	return d, true, err
}

// Create makes the trial's table, and its database where it is missing. The server replicates both, so that a fail-over
// finds the table, unless LeaveBinlog was called.
func (s *Session) Create(ctx context.Context, t Table, engine string) error {
	// To InnoDB the widest row is too wide; those of the trials are not.
	if err := s.set(ctx, "innodb_strict_mode=0"); err != nil {
		return err
	}
	return s.unlimited(ctx, "CREATE DATABASE IF NOT EXISTS "+Quote(t.Database), cptest.CreateTable(t.Quoted(), engine))
}

// LeaveBinlog keeps what the session changes out of the binary log, and tells whether the user may do that.
func (s *Session) LeaveBinlog(ctx context.Context) (left bool, err error) {
	if err := s.set(ctx, "sql_log_bin=0"); err != nil {
		return false, err
	}
	err = s.ask(ctx, "SELECT @@sql_log_bin = 0", nil, &left)
	return left, err
}

// Drop removes the table.
func (s *Session) Drop(ctx context.Context, t Table) error {
	return s.unlimited(ctx, "DROP TABLE "+t.Quoted())
}

// unlimited runs DDL, which takes as long as it takes: ColumnStore makes or removes hundreds of files, and what is broken
// off leaves some of them behind.
func (s *Session) unlimited(ctx context.Context, statements ...string) (err error) {
	if err := s.set(ctx, limit(0)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.set(ctx, limit(askTimeout))) }()
	for _, statement := range statements {
		if err := s.exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// Count returns the number of rows.
func (s *Session) Count(ctx context.Context, t Table) (rows int64, err error) {
	err = s.ask(ctx, "SELECT COUNT(*) FROM "+t.Quoted(), nil, &rows)
	return rows, err
}
