package mariadb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/transcript"
)

// locksTimeout bounds the question for all table locks, which takes its time where there are many tables.
const locksTimeout = 5 * time.Minute

// Facts are what a server says of itself.
type Facts struct {
	// Version is @@version, Host the name of its machine.
	Version, Host string
	// ReadOnly is @@read_only, LogBin @@log_bin.
	ReadOnly, LogBin bool
	// DefaultEngine is the engine of a table that names none.
	DefaultEngine string
	// ColumnStore tells whether the engine is there and not disabled.
	ColumnStore bool
}

// Facts asks the server for them.
func (s *Session) Facts(ctx context.Context) (f Facts, err error) {
	var engines int
	var readOnly string
	err = s.ask(ctx, `SELECT @@version, @@hostname, @@global.read_only, @@log_bin, @@default_storage_engine,
		(SELECT COUNT(*) FROM information_schema.ENGINES WHERE ENGINE = 'Columnstore' AND SUPPORT IN ('YES', 'DEFAULT'))`,
		nil, &f.Version, &f.Host, &readOnly, &f.LogBin, &f.DefaultEngine, &engines)
	f.ReadOnly = readOnly != "0" && readOnly != "OFF" // newer servers know more than two states
	f.ColumnStore = engines > 0
	return f, err
}

// System is the state of ColumnStore.
type System struct {
	// Ready is mcsSystemReady(), Primary mcsSystemPrimary().
	Ready, Primary bool
	// ReadOnly is mcsSystemReadOnly(): 0 for read and write, 1 for suspended writes, 2 for read-only.
	ReadOnly int
}

// System asks ColumnStore for its state.
func (s *Session) System(ctx context.Context) (state System, err error) {
	err = s.ask(ctx, "SELECT mcsSystemReady(), mcsSystemReadOnly(), mcsSystemPrimary()", nil,
		&state.Ready, &state.ReadOnly, &state.Primary)
	if isOneOf(err, errNoSuchFunction) {
		err = fmt.Errorf("%w: create it as ColumnStore's installation does", err)
	}
	return state, err
}

// Locks returns the locked ColumnStore tables with their locks. It costs some 20 ms for every ColumnStore table there is.
func (s *Session) Locks(ctx context.Context) (_ []transcript.Lock, err error) {
	ctx, cancel := context.WithTimeout(ctx, locksTimeout)
	defer cancel()
	if err := s.set(ctx, limit(locksTimeout)); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.set(ctx, limit(askTimeout))) }()
	locks, err := s.locks(ctx, "mcsviewtablelock")
	if isOneOf(err, errNoSuchFunction) {
		return s.locks(ctx, "calviewtablelock") // its name in older releases
	}
	return locks, err
}

func (s *Session) locks(ctx context.Context, function string) (locks []transcript.Lock, err error) {
	question := fmt.Sprintf(`SELECT TABLE_SCHEMA, TABLE_NAME, %s(TABLE_SCHEMA, TABLE_NAME)
		FROM information_schema.COLUMNSTORE_TABLES`, function)
	err = s.askRows(ctx, question, nil, func(scan func(...any) error) error {
		var schema, table string
		var text sql.NullString
		if err := scan(&schema, &table, &text); err != nil {
			return err
		}
		found, err := transcript.ParseLocks(text.String)
		if err != nil && transcript.CauseOf(text.String) == outcome.TableShape {
			return nil // it was dropped just now
		}
		for _, lock := range found {
			lock.Table = schema + "." + table
			locks = append(locks, lock)
		}
		return err
	})
	return locks, err
}
