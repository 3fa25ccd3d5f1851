package mariadb

import (
	"errors"

	"github.com/go-sql-driver/mysql"
)

// Numbers of the server's errors that mean something to a trial.
// https://mariadb.com/docs/server/reference/error-codes/mariadb-error-code-reference
const (
	errNoSuchFunction  = 1305
	errUnknownVariable = 1193
	errReadOnlyVar     = 1238
	errDenied          = 1227 // a privilege of the whole server is missing
	errLocalInfileOff  = 4166
	errNotAllowed      = 1148
)

// Number returns the server's number of an error, 0 when the error is none of the server's.
func Number(err error) int {
	if server, found := errors.AsType[*mysql.MySQLError](err); found {
		return int(server.Number)
	}
	return 0
}

// IsLocked tells whether a statement waited for a lock of another session in vain.
func IsLocked(err error) bool { return isOneOf(err, 1205, 1213) }

// IsTimeout tells whether the server ended a statement that took too long.
func IsTimeout(err error) bool { return isOneOf(err, 1969, 3024) }

// IsInterrupted tells whether somebody ended the statement or its connection.
func IsInterrupted(err error) bool { return isOneOf(err, 1317, 1927) }

// IsReadOnly tells whether the server takes no writes.
func IsReadOnly(err error) bool { return isOneOf(err, 1290, 1792, 1836, 4173) }

// IsDenied tells whether the user lacks a privilege.
func IsDenied(err error) bool { return isOneOf(err, 1044, 1142, 1143, errDenied) }

// IsNoTable tells whether a table or its database is not there.
func IsNoTable(err error) bool { return isOneOf(err, 1049, 1051, 1146) }

// IsRejected tells whether a value did not fit its column, or a row the table.
func IsRejected(err error) bool { return isOneOf(err, 1261, 1262, 1264, 1265, 1292, 1366, 1406) }

func isOneOf(err error, numbers ...int) bool {
	n := Number(err)
	for _, number := range numbers {
		if n == number && n != 0 {
			return true
		}
	}
	return false
}
