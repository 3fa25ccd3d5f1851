//go:build linux

package topology

import (
	"errors"
	"path/filepath"
	"regexp"
	"unicode/utf8"
)

// cleanPath returns the absolute path that value means, without repeated or trailing slashes and dots.
func cleanPath(value string) (string, error) {
	if value == "" {
		return "", errors.New("empty: write the absolute path of a directory")
	}
	if !filepath.IsAbs(value) {
		return "", errors.New("relative: write the absolute path of a directory")
	}
	if !utf8.ValidString(value) {
		return "", errors.New("not UTF-8: the path cannot be a metric's label; give the directory another name")
	}
	clean := filepath.Clean(value)
	switch {
	case storageManager.MatchString(clean):
		return "", errors.New("of Storage Manager, which takes every file there for its own and would upload or delete it")
	case columnFiles.MatchString(clean):
		return "", errors.New("a directory of column files, which ColumnStore removes only when it is empty")
	case rollbackData.MatchString(clean):
		return "", errors.New("a running import's rollback data, which ColumnStore removes with all that is in it")
	default:
		return clean, nil
	}
}

// Directories in which ColumnStore would stumble over a file that is not its own.
var (
	storageManager = regexp.MustCompile(`^/var/lib/columnstore/storagemanager(/|$)`)
	columnFiles    = regexp.MustCompile(`/\d+\.dir(/|$)`)
	rollbackData   = regexp.MustCompile(`/bulkRollback/\d+_data(/|$)`)
)
