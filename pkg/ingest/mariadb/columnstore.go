package mariadb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/transcript"
)

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

// Locks returns the locks of all ColumnStore tables. It costs some 20 ms for every table there is. The trial's own table,
// which need not be there, comes first: a system whose PrimProc is down tells so in the answer, and has nothing else asked.
//
// The names come from the system catalogue. information_schema.COLUMNSTORE_TABLES has them, too, but to ask for them while
// PrimProc is down makes the server abort (seen with 6.4).
func (s *Session) Locks(ctx context.Context, own Table) ([]transcript.Lock, error) {
	locks, err := s.locks(ctx, own)
	if err != nil {
		return nil, err
	}
	tables, err := s.tables(ctx)
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		if strings.EqualFold(table.String(), own.String()) {
			continue
		}
		more, err := s.locks(ctx, table)
		if err != nil {
			return nil, err
		}
		locks = append(locks, more...)
	}
	return locks, nil
}

// tables returns the tables of the system catalogue.
func (s *Session) tables(ctx context.Context) (tables []Table, err error) {
	err = s.askRows(ctx, "SELECT `schema`, tablename FROM calpontsys.systable", nil, func(scan func(...any) error) error {
		var t Table
		err := scan(&t.Database, &t.Name)
		tables = append(tables, t)
		return err
	})
	if IsDenied(err) {
		err = fmt.Errorf("%w: grant SELECT ON calpontsys.systable to the user", err)
	}
	return tables, err
}

// locks returns the locks of one table.
func (s *Session) locks(ctx context.Context, t Table) ([]transcript.Lock, error) {
	text, err := s.lockText(ctx, "mcsviewtablelock", t)
	if isOneOf(err, errNoSuchFunction) {
		text, err = s.lockText(ctx, "calviewtablelock", t) // its name in older releases
	}
	if err != nil {
		return nil, err
	}
	locks, err := transcript.ParseLocks(text)
	if err != nil && transcript.CauseOf(text) == outcome.TableShape {
		return nil, nil // it is not there, or was dropped just now
	}
	for i := range locks {
		locks[i].Table = t.String()
	}
	return locks, err
}

func (s *Session) lockText(ctx context.Context, function string, t Table) (string, error) {
	var text sql.NullString
	err := s.ask(ctx, "SELECT "+function+"(?, ?)", []any{t.Database, t.Name}, &text)
	return text.String, err
}
