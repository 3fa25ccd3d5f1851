//go:build linux

package ingest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cpimport"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/mariadb"
)

// EngineAuto is ColumnStore where the server has it, else the server's default.
const EngineAuto = "auto"

// Phases of a trial, in this order. Seeding happens only with a new table.
const (
	PhaseGate   = "gate"
	PhaseTable  = "table"
	PhaseSeed   = "seed"
	PhaseImport = "import"
	PhaseVerify = "verify"
)

// Options say how trials are run.
type Options struct {
	// DSN returns the data source name of go-sql-driver. It is asked at every connection, so that a replaced secret is
	// used from then on.
	DSN func() (string, error)
	// StateDir is the exporter's own directory, an absolute path: it holds the CSV, cpimport's working directory and what
	// a restarted exporter has to know. It is made when missing.
	StateDir string
	// Method is MethodAuto, MethodCpimport or MethodLoadData.
	Method string
	// Database and Table name the trial's own table, Engine its engine: EngineAuto or a name of SHOW ENGINES.
	Database, Table, Engine string
	// Rows is the number of rows of one trial. With MaxTableRows or more in it, the table is made anew before the next.
	Rows, MaxTableRows int64
	// Timeout is how long an import may take before it is asked to end. Grace is how long it is then waited for before the
	// trial is reported with the import still running; 0 means 2 minutes.
	Timeout, Grace time.Duration
	// ExitGrace is how long an import is waited for once the context of the trial is done.
	ExitGrace time.Duration
	// CpimportPath is the program, an absolute path.
	CpimportPath string
	// PID1 says that the process is the first of a container, whose end kills all others. MethodAuto then never takes
	// cpimport, and an import by cpimport is waited for without limit once the context is done.
	PID1 bool
	// DataFree returns the free bytes of the fullest file system with a DBroot on it; nil when that is not known. It makes
	// its system calls elsewhere: they may hang.
	DataFree func(ctx context.Context) (int64, error)
	// Remove removes files of the engine's log directory that a trial of ours has made; nil removes them directly.
	Remove func(ctx context.Context, paths []string) error
	// OnPhase hears which phase of a trial begins. OnInFlight hears the start of an import, and the zero time when it has
	// ended. Neither may block. Both may be nil.
	OnPhase    func(phase string)
	OnInFlight func(started time.Time)
	Log        *zap.Logger
}

// defaultGrace is "minutes": cpimport finishes its preprocess step and rolls back before it ends.
const defaultGrace = 2 * time.Minute

// engineName is the shape of the names of SHOW ENGINES.
var engineName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// withDefaults fills what may be left out.
func (o Options) withDefaults() Options {
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
	if o.OnPhase == nil {
		o.OnPhase = func(string) {}
	}
	if o.OnInFlight == nil {
		o.OnInFlight = func(time.Time) {}
	}
	if o.Remove == nil {
		o.Remove = removeHere
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	return o
}

// check returns all that is wrong with the options.
func (o Options) check() error {
	var wrong []error
	wrong = append(wrong, mariadb.CheckIdentifier("database", o.Database), mariadb.CheckIdentifier("table", o.Table))
	if o.DSN == nil {
		wrong = append(wrong, errors.New("trials need a data source name"))
	}
	if o.Rows < 1 {
		wrong = append(wrong, fmt.Errorf("rows of a trial: %d, want at least 1", o.Rows))
	}
	if o.Timeout <= 0 {
		wrong = append(wrong, fmt.Errorf("timeout of an import: %v, want more than 0", o.Timeout))
	}
	if !engineName.MatchString(o.Engine) {
		wrong = append(wrong, fmt.Errorf("engine %q: not a name of SHOW ENGINES", o.Engine))
	}
	if !filepath.IsAbs(o.StateDir) {
		wrong = append(wrong, fmt.Errorf("state directory %q: want an absolute path", o.StateDir))
	}
	wrong = append(wrong, o.checkMethod())
	return errors.Join(wrong...)
}

func (o Options) checkMethod() error {
	switch o.Method {
	case MethodAuto, MethodLoadData:
		return nil
	case MethodCpimport:
		return o.cpimport().Check()
	default:
		return fmt.Errorf("method %q: want %s", o.Method, strings.Join([]string{MethodAuto, MethodCpimport, MethodLoadData}, ", "))
	}
}

// cpimport returns the command of an import.
func (o Options) cpimport() cpimport.Command {
	return cpimport.Command{
		Path:      o.CpimportPath,
		Directory: filepath.Join(o.StateDir, "cpimport"),
		Database:  o.Database,
		Table:     o.Table,
		File:      filepath.Join(o.StateDir, csvName(o.Rows)),
	}
}

// CSV is the file that holds the rows of a trial.
func (o Options) CSV() string { return o.cpimport().File }

func csvName(rows int64) string { return fmt.Sprintf("cptest-%d.csv", rows) }
