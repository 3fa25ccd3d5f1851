package transcript

import (
	"fmt"
	"syscall"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
)

// Verdict is the outcome of an import: success where Failure is empty. Text says why it failed.
type Verdict struct {
	Failure outcome.Failure
	Text    string
}

// Judge returns the outcome of an import that should have inserted so many rows and has ended with that status. Asked
// says that the exporter had asked it to end. Success takes exit status 0 and the rows line with the expected rows
// processed and inserted: "Bulk load completed" is printed after a rollback, too.
func (t Transcript) Judge(status syscall.WaitStatus, rows int64, asked bool) Verdict {
	succeeded := status.Exited() && status.ExitStatus() == 0
	switch {
	case succeeded && t.Counted:
		return t.judgeRows(rows)
	case asked:
		return Verdict{outcome.Timeout, "asked to end by the exporter; " + describe(status)}
	case t.Ended:
		return Verdict{outcome.Killed, "asked to end by somebody else; " + describe(status)}
	case status.Signaled():
		return Verdict{outcome.Killed, describe(status)}
	case t.Cause != "":
		return Verdict{t.Cause, t.CauseText}
	case succeeded:
		return Verdict{outcome.Exec, "exit status 0 without a word on rows: cpimport could not run its worker"}
	default:
		return Verdict{outcome.OtherFailure, fmt.Sprintf("%s; its last word: %q", describe(status), t.LastError)}
	}
}

func (t Transcript) judgeRows(rows int64) Verdict {
	switch {
	case t.Inserted != t.Processed:
		return Verdict{outcome.Rejected, fmt.Sprintf("%d rows processed and %d inserted", t.Processed, t.Inserted)}
	case t.Inserted != rows:
		return Verdict{outcome.RowCount, fmt.Sprintf("%d rows inserted, want %d", t.Inserted, rows)}
	default:
		return Verdict{}
	}
}

func describe(status syscall.WaitStatus) string {
	if status.Signaled() {
		return fmt.Sprintf("ended by signal %d (%v)", int(status.Signal()), status.Signal())
	}
	return fmt.Sprintf("exit status %d", status.ExitStatus())
}
