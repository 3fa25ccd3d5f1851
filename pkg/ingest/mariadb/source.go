package mariadb

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// ErrCSV is wrapped by the error of a load that could not read its file.
var ErrCSV = errors.New("read the data file")

// source is the CSV as the driver reads it.
type source struct {
	path   string
	failed atomic.Pointer[error]
	// cut ends the data with the next whole row.
	cut atomic.Bool
}

func (s *source) open() io.Reader {
	file, err := os.Open(s.path)
	if err != nil {
		s.fail(err)
		return nil
	}
	return &csv{file: file, source: s}
}

func (s *source) fail(err error) {
	err = fmt.Errorf("%w: %w", ErrCSV, err)
	s.failed.Store(&err)
}

type csv struct {
	file   *os.File
	source *source
}

func (c *csv) Read(p []byte) (int, error) {
	cut := c.source.cut.Load()
	n, err := c.file.Read(p)
	if end := bytes.IndexByte(p[:n], '\n') + 1; cut && end > 0 {
		return end, io.EOF
	}
	if err != nil && !errors.Is(err, io.EOF) {
		c.source.fail(err)
	}
	return n, err
}

func (c *csv) Close() error { return c.file.Close() }
