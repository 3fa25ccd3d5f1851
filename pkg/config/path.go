package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPath is Linux's PATH_MAX without the closing NUL.
const maxPath = 4095

// NamedPath is a directory with the name under which it is shown: a DBroot's number, or what the operator calls an extra.
type NamedPath struct {
	Name string
	// Path is absolute, and as the operator wrote it.
	Path string
}

// UnmarshalText reads path or name=path. An equals sign behind the first slash belongs to the path.
func (n *NamedPath) UnmarshalText(text []byte) error {
	entry := string(text)
	name, path, named := strings.Cut(entry, "=")
	if !named || strings.Contains(name, "/") {
		name, path = "", entry
	}
	*n = NamedPath{Name: strings.TrimSpace(name), Path: strings.TrimSpace(path)}
	if named && n.Path == "" {
		return fmt.Errorf("%s has a name and no directory; write it like name=/directory", quote(entry))
	}
	return checkPath(n.Path)
}

// String returns what UnmarshalText reads.
func (n NamedPath) String() string {
	if n.Name == "" {
		return n.Path
	}
	return n.Name + "=" + n.Path
}

// checkPath asks for an absolute path that is a legal label value and stands on one line.
func checkPath(path string) error {
	switch {
	case !filepath.IsAbs(path):
		return fmt.Errorf("%s is not an absolute path; begin it with a slash", quote(path))
	case !printable(path):
		return fmt.Errorf("%s holds a control character or is not UTF-8; rename the file or directory", quote(path))
	case len(path) > maxPath:
		return errors.New("the path is longer than the kernel's 4095 bytes; shorten it")
	}
	return nil
}

// printable tells whether text is UTF-8 without control characters, NUL and line feed among them.
func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// quote shows the beginning of a value in an error.
func quote(text string) string {
	const most = 80
	if len(text) > most {
		return fmt.Sprintf("%.*q…", most, text)
	}
	return fmt.Sprintf("%q", text)
}
