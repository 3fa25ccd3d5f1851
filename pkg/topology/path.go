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
	for _, f := range forbidden {
		if f.path.MatchString(clean) {
			return "", errors.New(f.reason)
		}
	}
	return clean, nil
}

// forbidden are directories where ColumnStore would stumble over a file that is not its own.
var forbidden = []struct {
	path   *regexp.Regexp
	reason string
}{
	{
		regexp.MustCompile(`^/var/lib/columnstore/storagemanager(/|$)`),
		"Storage Manager takes every file there for its own and would upload or delete it",
	},
	{
		regexp.MustCompile(`/[0-9]+\.dir(/|$)`),
		"a directory of column files, which ColumnStore removes only when it is empty",
	},
	{
		regexp.MustCompile(`/bulkRollback/[0-9]+_data(/|$)`),
		"a running import's rollback data, which ColumnStore removes with all that is in it",
	},
}
