// Package outcome holds the closed sets of reasons that an import trial ends with.
package outcome

// Failure is why a trial that was started has failed: a value of the label reason of the failures counter.
type Failure string

// The closed set of failures.
const (
	// SQL is a connection that failed or a statement that the server refused.
	SQL Failure = "sql"
	// Exec is a cpimport that did not run, or ended without having done anything.
	Exec Failure = "exec"
	// Rejected is an import of which rows were refused.
	Rejected Failure = "rejected"
	// RowCount is an import after which the table has not grown by the rows of the trial.
	RowCount Failure = "row_count"
	// Timeout is an import that the exporter itself asked to end.
	Timeout Failure = "timeout"
	// Locked is an import that did not get the lock of its table.
	Locked Failure = "locked"
	// ReadOnly is an import into a system that does not take writes.
	ReadOnly Failure = "read_only"
	// NotReady is an import into an engine that is down, starting or stopping.
	NotReady Failure = "not_ready"
	// TableShape is a table that is missing, of another engine, or of other columns.
	TableShape Failure = "table_shape"
	// CSV is a data file that the import could not find or read.
	CSV Failure = "csv"
	// Permission is something that the import's user may not do.
	Permission Failure = "permission"
	// Killed is an import that somebody else ended.
	Killed Failure = "killed"
	// OtherFailure is everything else; the log has the full text.
	OtherFailure Failure = "other"
)

// Failures returns the closed set of failures in the order of the contract.
func Failures() []Failure {
	return []Failure{
		SQL, Exec, Rejected, RowCount, Timeout, Locked, ReadOnly, NotReady, TableShape, CSV, Permission, Killed, OtherFailure,
	}
}

// Skip is why a trial was not started: a value of the label reason of the skips counter.
type Skip string

// The closed set of skips.
const (
	// SkipSQL is a server that cannot be asked.
	SkipSQL Skip = "sql"
	// SkipNotReady is an engine that is down, starting or stopping.
	SkipNotReady Skip = "not_ready"
	// SkipReadOnly is a system or server that does not take writes.
	SkipReadOnly Skip = "read_only"
	// SkipSuspended is a system whose writes are suspended, as backups do.
	SkipSuspended Skip = "suspended"
	// SkipNotPrimary is a node whose cluster has another primary: one node of a cluster runs trials.
	SkipNotPrimary Skip = "not_primary"
	// SkipLocked is a lock on any ColumnStore table, or a lock of another session on the trial's.
	SkipLocked Skip = "locked"
	// SkipOtherImport is a cpimport of somebody else.
	SkipOtherImport Skip = "other_import"
	// SkipDiskSpace is a file system that is too full.
	SkipDiskSpace Skip = "disk_space"
	// SkipInFlight is a trial that has not ended yet, be it long overdue.
	SkipInFlight Skip = "in_flight"
	// SkipLeftover is an import of an earlier process, or the lock that it left.
	SkipLeftover Skip = "leftover"
	// SkipTableShape is a table that is not the trial's own, or not as the trial made it.
	SkipTableShape Skip = "table_shape"
	// SkipCSV is a data file that could not be written.
	SkipCSV Skip = "csv"
)

// Skips returns the closed set of skips in the order of the contract.
func Skips() []Skip {
	return []Skip{
		SkipSQL, SkipNotReady, SkipReadOnly, SkipSuspended, SkipNotPrimary, SkipLocked, SkipOtherImport, SkipDiskSpace,
		SkipInFlight, SkipLeftover, SkipTableShape, SkipCSV,
	}
}
