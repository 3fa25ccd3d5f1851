//go:build linux

package cptest

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Describe returns what Write would write.
func Describe(ctx context.Context, rows int64) (Content, error) { return Write(ctx, io.Discard, rows) }

// Verify tells whether the file at path holds exactly that content. A file that is missing does not.
func Verify(path string, want Content) (bool, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("check the data file: %w", err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	info, err := file.Stat()
	if err != nil {
		return false, fmt.Errorf("check the data file: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() != want.Bytes {
		return false, nil
	}
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	if _, err := io.Copy(sum, file); err != nil {
		return false, fmt.Errorf("check the data file: %w", err)
	}
	return sum.Sum32() == want.Checksum, nil
}

// Save writes the rows to path, all or nothing: under another name first, then synced and renamed.
func Save(ctx context.Context, path string, rows int64) (err error) {
	temporary := path + ".new"
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write the data file: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("write the data file: %w", err)
			_ = file.Close()
			_ = os.Remove(temporary)
		}
	}()
	if _, err := Write(ctx, file, rows); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}

func syncDirectory(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
