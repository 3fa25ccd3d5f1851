//go:build linux

package cpimporttest

import (
	"errors"
	"os"
	"path/filepath"
)

// entry is that of the first table of a system, by its OID.
const entry = "3000"

// backUp makes the table's entry in bulkRollback anew: under another name, synced, then renamed.
func (p Plan) backUp() error {
	if p.BulkRollback == "" {
		return nil
	}
	path := filepath.Join(p.BulkRollback, entry)
	file, err := os.OpenFile(path+".tmp", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(make([]byte, 4096))
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}

// forget removes the entry.
func (p Plan) forget() error {
	if p.BulkRollback == "" {
		return nil
	}
	return os.Remove(filepath.Join(p.BulkRollback, entry))
}
