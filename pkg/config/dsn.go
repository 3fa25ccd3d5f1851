package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// maxDSN is more than any data source name needs, in bytes.
const maxDSN = 64 << 10

// Configured tells whether a DSN or a file with one is named. Trials run only then.
func (i Ingest) Configured() bool { return i.DSNFile != "" || i.DSN.Reveal() != "" }

// ReadDSN returns the DSN or what the file holds now, without blanks around it: a secret may be replaced at any time. The
// error names the variable and never holds the secret.
func (i Ingest) ReadDSN() (Secret, error) {
	switch {
	case !i.Configured():
		return Secret{}, fmt.Errorf("no data source name: set %s or %s", fullName("INGEST_DSN"), fullName("INGEST_DSN_FILE"))
	case i.DSNFile == "":
		return i.DSN, nil
	}
	dsn, err := readDSNFile(i.DSNFile)
	if err != nil {
		return Secret{}, fmt.Errorf("%s: %w", fullName("INGEST_DSN_FILE"), err)
	}
	return dsn, nil
}

// readDSNFile reads a file that holds a data source name and nothing else.
func readDSNFile(path string) (Secret, error) {
	file, err := os.Open(path)
	if err != nil {
		return Secret{}, fmt.Errorf("read data source name: %w", err)
	}
	defer file.Close() //nolint:errcheck // nothing was written
	text, err := io.ReadAll(io.LimitReader(file, maxDSN+1))
	if err != nil {
		return Secret{}, fmt.Errorf("read data source name: %w", err)
	}
	if len(text) > maxDSN {
		return Secret{}, fmt.Errorf("%s is too long to hold a data source name", path)
	}
	dsn := strings.TrimSpace(string(text))
	if dsn == "" {
		return Secret{}, fmt.Errorf("%s is empty; write the data source name into it", path)
	}
	if err := checkDSN(dsn); err != nil {
		return Secret{}, fmt.Errorf("%s: %w", path, err)
	}
	return NewSecret(dsn), nil
}

// checkDSN asks for a data source name that the driver reads. The driver's own words may quote the password, so they are
// not passed on.
func checkDSN(dsn string) (err error) {
	// The driver panics at the parameter strict, which it once had.
	defer func() {
		if recover() != nil {
			err = errDSN
		}
	}()
	if _, err := mysql.ParseDSN(dsn); err != nil {
		return errDSN
	}
	return nil
}

// errDSN says how a data source name looks.
var errDSN = errors.New("not a data source name of go-sql-driver; write it like user:password@tcp(host:3306)/")
