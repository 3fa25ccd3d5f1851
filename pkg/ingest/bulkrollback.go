//go:build linux

package ingest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// CountBulkRollbackEntries returns how many tables have an entry in a bulkRollback directory: a file named by the OID of
// the table, or a directory of that name with _data behind it. An import makes the entry and removes it; without an import
// it is a leftover. A directory that is not there has none. The call may hang with the storage under the directory.
func CountBulkRollbackEntries(path string) (int, error) {
	dir, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("count the entries of bulkRollback: %w", err)
	}
	defer dir.Close() //nolint:errcheck // it was only read
	tables := map[string]bool{}
	for {
		names, err := dir.Readdirnames(1000)
		for _, name := range names {
			if oid := strings.TrimSuffix(name, "_data"); isOID(oid) {
				tables[oid] = true
			}
		}
		if errors.Is(err, io.EOF) {
			return len(tables), nil
		}
		if err != nil {
			return 0, fmt.Errorf("count the entries of bulkRollback: %w", err)
		}
	}
}

func isOID(name string) bool {
	return name != "" && strings.Trim(name, "0123456789") == ""
}
