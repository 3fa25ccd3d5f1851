package mariadb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// prepare sets the session's variables and learns its number.
func (s *Session) prepare(ctx context.Context) error {
	for _, variable := range []string{
		"autocommit=1",
		"sql_mode='STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
		fmt.Sprintf("lock_wait_timeout=%d", lockWait),
		fmt.Sprintf("innodb_lock_wait_timeout=%d", lockWait),
		limit(askTimeout),
		"slow_query_log=0",
	} {
		if err := s.set(ctx, variable); err != nil {
			return err
		}
	}
	return s.ask(ctx, "SELECT CONNECTION_ID()", nil, &s.id)
}

// set changes a variable of the session where the server has it and the user may.
func (s *Session) set(ctx context.Context, assignment string) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	err := s.exec(ctx, "SET SESSION "+assignment)
	if isOneOf(err, errUnknownVariable, errReadOnlyVar, errDenied) {
		return nil
	}
	return err
}

// limit is how long the server lets a statement run.
func limit(d time.Duration) string { return fmt.Sprintf("max_statement_time=%g", d.Seconds()) }

// exec runs a statement that returns no rows.
func (s *Session) exec(ctx context.Context, statement string) error {
	if _, err := s.conn.ExecContext(ctx, mark+statement); err != nil {
		return fmt.Errorf("%s: %w", short(statement), err)
	}
	return nil
}

// ask runs a question whose answer is one row.
func (s *Session) ask(ctx context.Context, question string, args []any, answer ...any) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	if err := s.conn.QueryRowContext(ctx, mark+question, args...).Scan(answer...); err != nil {
		return fmt.Errorf("%s: %w", short(question), err)
	}
	return nil
}

// askRows runs a question and calls each for every row of the answer.
func (s *Session) askRows(ctx context.Context, question string, args []any, each func(scan func(...any) error) error) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	rows, err := s.conn.QueryContext(ctx, mark+question, args...)
	if err != nil {
		return fmt.Errorf("%s: %w", short(question), err)
	}
	defer rows.Close() //nolint:errcheck // Err tells
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return fmt.Errorf("%s: %w", short(question), err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("%s: %w", short(question), err)
	}
	return nil
}

// short returns the beginning of a statement, for errors.
func short(statement string) string {
	const most = 60
	if len(statement) <= most {
		return statement
	}
	return statement[:most] + "…"
}

// isNone tells whether a question had no answer.
func isNone(err error) bool { return errors.Is(err, sql.ErrNoRows) }
