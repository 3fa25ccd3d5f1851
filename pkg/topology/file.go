//go:build linux

package topology

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

// readFile reads a regular file of at most limit bytes; what says in errors which file it is. Anything else at the path
// (a FIFO, a device) is refused unread.
func readFile(what, path string, limit int64, watch Operations) ([]byte, error) {
	defer watch.end()
	watch.begin("open")
	// O_NONBLOCK: opening a FIFO must not wait for its writer. It means nothing to a regular file.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	defer f.Close() //nolint:errcheck // read only
	watch.begin("stat")
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: %s is not a regular file (%s)", what, path, info.Mode())
	}
	size := info.Size()
	var data []byte
	if size <= limit {
		watch.begin("read")
		data, err = io.ReadAll(io.LimitReader(f, limit+1))
		size = max(size, int64(len(data))) // it may have grown meanwhile
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	if size > limit {
		return nil, fmt.Errorf("read %s: %s is larger than %d KiB, so it is something else", what, path, limit>>10)
	}
	return data, nil
}
