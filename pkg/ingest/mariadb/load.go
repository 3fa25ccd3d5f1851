package mariadb

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cptest"
)

// killTimeout bounds the asking for the end of a load.
const killTimeout = 10 * time.Second

// Load is a LOAD DATA LOCAL INFILE under way.
type Load struct {
	session *Session
	// Started is the time just before the statement.
	Started time.Time

	source *source
	how    Ending
	done   chan struct{}
	ended  time.Time
	rows   int64
	err    error
}

// Ending is how a load is ended before its time.
type Ending int

const (
	// Kill is KILL QUERY, at which the server rolls back.
	Kill Ending = iota
	// Cut lets the data end early, so that the statement ends as any other. ColumnStore hands the data to a cpimport of its
	// own, which leaves its table locked when the statement is killed at the wrong moment (seen with 6.4).
	Cut
)

// StartLoad sends the CSV at path into the table, out of the binary log where the user may do that: the rows are of use
// on this server only. The session belongs to the load from now on and ends with it. Where a statement may be killed, the
// server does so by itself after the time most.
func (s *Session) StartLoad(ctx context.Context, t Table, path string, how Ending, most time.Duration) (*Load, error) {
	if how == Cut {
		most = 0
	}
	for _, variable := range []string{
		"sql_log_bin=0",
		limit(most),
		"columnstore_use_import_for_batchinsert=ON",
	} {
		if err := s.set(ctx, variable); err != nil {
			return nil, err
		}
	}
	l := &Load{session: s, Started: time.Now(), source: &source{path: path}, how: how, done: make(chan struct{})}
	go l.run(context.WithoutCancel(ctx), t) // an abandoned connection would keep the server from rolling back in peace
	return l, nil
}

func (l *Load) run(ctx context.Context, t Table) {
	defer close(l.done)
	defer l.session.Close()
	l.rows, l.err = l.session.load(ctx, t, l.source)
	l.ended = time.Now()
}

// load runs the statement with a reader that the driver knows while it lasts.
func (s *Session) load(ctx context.Context, t Table, source *source) (int64, error) {
	name := "columnstore_exporter-" + strconv.FormatInt(s.id, 10) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	mysql.RegisterReaderHandler(name, source.open)
	defer mysql.DeregisterReaderHandler(name)
	statement := fmt.Sprintf(`LOAD DATA LOCAL INFILE 'Reader::%s' INTO TABLE %s CHARACTER SET %s
		FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' ESCAPED BY '' LINES TERMINATED BY '\n'`, name, t.Quoted(), cptest.Charset)
	result, err := s.conn.ExecContext(ctx, mark+statement)
	if err := source.failed.Load(); err != nil {
		return 0, *err
	}
	if isOneOf(err, errLocalInfileOff, errNotAllowed) {
		err = fmt.Errorf("%w: start the server with local_infile=1", err)
	}
	if err != nil {
		return 0, fmt.Errorf("LOAD DATA LOCAL INFILE: %w", err)
	}
	return result.RowsAffected() //nolint:wrapcheck // the driver never fails here
}

// Done is closed when the statement has ended, its rollback included.
func (l *Load) Done() <-chan struct{} { return l.done }

// Elapsed returns the wall clock of the statement. It may be asked once Done is closed.
func (l *Load) Elapsed() time.Duration { return l.ended.Sub(l.Started) }

// Result returns how many rows the server took in. It may be asked once Done is closed.
func (l *Load) Result() (rows int64, err error) { return l.rows, l.err }

// End asks for the end of the statement.
func (l *Load) End(ctx context.Context) error {
	if l.how == Cut {
		l.source.cut.Store(true)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	second, err := l.session.server.connect(ctx)
	if err != nil {
		return fmt.Errorf("ask for the end of the load: %w", err)
	}
	defer second.Close()
	return second.exec(ctx, "KILL QUERY "+strconv.FormatInt(l.session.id, 10))
}

// Abandon lets the server's other sessions begin although the load has not ended.
func (l *Load) Abandon() { l.session.release() }
