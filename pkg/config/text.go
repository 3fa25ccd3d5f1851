package config

import (
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPath is Linux's PATH_MAX without the closing NUL.
const maxPath = 4095

// checkPath asks for an absolute path that is a legal label value and stands on one line.
func checkPath(path string) error {
	switch {
	case !filepath.IsAbs(path):
		return fmt.Errorf("%s is not an absolute path; begin it with a slash", quote(path))
	case !printable(path):
		return fmt.Errorf("%s holds a control character or is not UTF-8; rename the file or directory", quote(path))
	case len(path) > maxPath:
		return fmt.Errorf("%s is longer than the kernel's %d bytes; shorten it", quote(path), maxPath)
	}
	return nil
}

// hostname is a name as DNS and /etc/hosts have it.
var hostname = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)

// checkAddress asks for an address to listen on: a port, and before it a host name, an IP address or nothing.
func checkAddress(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("%s is not an address to listen on; write it like :10570, 127.0.0.1:10570 or [::1]:10570", quote(address))
	}
	if _, err := netip.ParseAddr(host); err != nil && host != "" && !hostname.MatchString(host) {
		return fmt.Errorf("%s in %s is neither a host name nor an IP address", quote(host), quote(address))
	}
	return nil
}

// maxIdentifier is the longest name of a database or table, in characters.
const maxIdentifier = 64

// checkIdentifier asks for what MariaDB takes as the quoted name of a database or table, and a file system as that of a
// directory (https://mariadb.com/docs/server/reference/sql-structure/sql-language-structure/identifier-names).
func checkIdentifier(name string) error {
	switch {
	case utf8.RuneCountInString(name) > maxIdentifier:
		return fmt.Errorf("%s is longer than MariaDB's %d characters; shorten it", quote(name), maxIdentifier)
	case !printable(name) || strings.ContainsFunc(name, beyondBMP):
		return fmt.Errorf("%s holds a character that MariaDB takes in no name, or is not UTF-8", quote(name))
	case strings.ContainsAny(name, `/\`):
		return fmt.Errorf("%s holds a slash; leave it out, the name becomes that of a directory", quote(name))
	}
	return nil
}

// beyondBMP tells whether r is outside of Unicode's first 65,536 characters, where MariaDB's names end.
func beyondBMP(r rune) bool { return r > 0xFFFF }

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
