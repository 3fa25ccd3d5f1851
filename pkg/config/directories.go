package config

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// NamedPath is a directory with the name under which it is shown: a DBroot's number, or what the operator calls an extra.
type NamedPath struct {
	Name string
	// Path is absolute, and as the operator wrote it.
	Path string
}

// UnmarshalText reads path or name=path. An equals sign behind the first slash belongs to the path.
func (n *NamedPath) UnmarshalText(text []byte) error {
	entry := string(text)
	name, directory, named := strings.Cut(entry, "=")
	if !named || strings.Contains(name, "/") {
		name, directory = "", entry
	}
	*n = NamedPath{Name: strings.TrimSpace(name), Path: strings.TrimSpace(directory)}
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

// complete gives a name to the directories that have none: a DBroot its place in the list, an extra its last element.
func (d *Discovery) complete() {
	for i := range d.DBRoots {
		if root := &d.DBRoots[i]; root.Name == "" {
			root.Name = strconv.Itoa(i + 1)
		}
	}
	for i := range d.Extra {
		if extra := &d.Extra[i]; extra.Name == "" {
			extra.Name = path.Base(extra.Path)
		}
	}
}

// rootNumber is what ColumnStore numbers DBroots with, extraName what tells extras apart on a page and in a query.
var (
	rootNumber = regexp.MustCompile(`^[1-9]\d?$`)
	extraName  = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
)

// numberedRoots wants a number of its own for each DBroot.
func (d *Discovery) numberedRoots() (errs []error) {
	for _, root := range d.DBRoots {
		if !rootNumber.MatchString(root.Name) {
			errs = append(errs, fmt.Errorf("%s is not the number of a DBroot; write it like 1=%s, with 1 to 99", quote(root.Name), root.Path))
		}
	}
	return append(errs, distinct(d.DBRoots)...)
}

// namedExtras wants a name of its own for each extra.
func (d *Discovery) namedExtras() (errs []error) {
	for _, extra := range d.Extra {
		if !extraName.MatchString(extra.Name) {
			errs = append(errs, fmt.Errorf("%s cannot be the name of %s; write it like name=%s, with 1 to 64 letters, digits, dots, dashes and underscores",
				quote(extra.Name), quote(extra.Path), extra.Path))
		}
	}
	return append(errs, distinct(d.Extra)...)
}

// distinct wants each name and each directory once.
func distinct(list []NamedPath) (errs []error) {
	byName, byPath := map[string]string{}, map[string]string{}
	for _, entry := range list {
		if first, taken := byName[entry.Name]; taken {
			errs = append(errs, fmt.Errorf("%s is the name of both %s and %s; give each its own", quote(entry.Name), quote(first), quote(entry.Path)))
		}
		if first, taken := byPath[path.Clean(entry.Path)]; taken {
			errs = append(errs, fmt.Errorf("%s is there both as %s and as %s; leave one out", quote(entry.Path), quote(first), quote(entry.Name)))
		}
		byName[entry.Name], byPath[path.Clean(entry.Path)] = entry.Path, entry.Name
	}
	return errs
}

// probedTwice returns the extras that are a DBroot of the list, or its bulkRollback, too.
func (d *Discovery) probedTwice() (twice []NamedPath) {
	known := map[string]bool{}
	for _, root := range d.DBRoots {
		known[path.Clean(root.Path)] = true
		known[path.Join(root.Path, "bulkRollback")] = true
	}
	for _, extra := range d.Extra {
		if known[path.Clean(extra.Path)] {
			twice = append(twice, extra)
		}
	}
	return twice
}
