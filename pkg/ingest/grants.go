//go:build linux

package ingest

import "github.com/columnstore/columnstore_exporter/pkg/ingest/mariadb"

// Grants returns the statements that give a user, written as in GRANT, all that trials need in their database: they may
// make, fill, count and drop the table there. Nothing of another database can be read or changed.
func Grants(user, database string) []string {
	return []string{"GRANT SELECT, INSERT, CREATE, DROP ON " + mariadb.QuotePattern(database) + ".* TO " + user}
}

// OptionalGrants returns the statements that let the loads of LOAD DATA stay out of the binary log, where there is one.
// cpimport writes none.
func OptionalGrants(user string) []string {
	return []string{"GRANT BINLOG ADMIN ON *.* TO " + user}
}
