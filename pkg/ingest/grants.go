//go:build linux

package ingest

import "github.com/columnstore/columnstore_exporter/pkg/ingest/mariadb"

// Grants returns the statements that give a user, written as in GRANT, all that trials need: they may make, fill, count
// and drop the table in their own database. Nothing of another database can be read or changed.
func Grants(user, database string) []string {
	return []string{"GRANT SELECT, INSERT, CREATE, DROP ON " + mariadb.QuotePattern(database) + ".* TO " + user}
}

// ColumnStoreGrants returns the statements that ColumnStore needs besides: to see whether any table is locked takes the
// names of all.
func ColumnStoreGrants(user string) []string {
	return []string{"GRANT SELECT ON calpontsys.systable TO " + user}
}

// BinlogGrants returns the statements that InnoDB needs besides where the server writes a binary log, and that keep the
// rows of LOAD DATA out of it with other engines. cpimport writes none.
func BinlogGrants(user string) []string {
	return []string{"GRANT BINLOG ADMIN ON *.* TO " + user}
}
