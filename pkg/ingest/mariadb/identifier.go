package mariadb

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// longestIdentifier is the most characters that the server takes in a name.
const longestIdentifier = 64

// CheckIdentifier tells why a name cannot be that of a database or table; what says which of them it is. Back-ticks,
// quotes and spaces inside are allowed.
func CheckIdentifier(what, name string) error {
	switch {
	case name == "":
		return fmt.Errorf("name of the %s is empty", what)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, outside):
		return fmt.Errorf("name of the %s %q: control characters and characters beyond U+FFFF are not allowed", what, name)
	case utf8.RuneCountInString(name) > longestIdentifier:
		return fmt.Errorf("name of the %s %q: more than %d characters", what, name, longestIdentifier)
	case strings.TrimSpace(name) != name:
		return fmt.Errorf("name of the %s %q: it begins or ends with white space", what, name)
	case strings.ContainsAny(name, `/\.`):
		return fmt.Errorf("name of the %s %q: slashes, backslashes and full stops are not allowed", what, name)
	}
	return nil
}

func outside(r rune) bool { return r < ' ' || r == 0x7f || r > 0xffff }

// QuotePattern returns a database's name as it stands in GRANT, where _ and % are wild cards.
func QuotePattern(name string) string {
	return Quote(strings.NewReplacer("_", `\_`, "%", `\%`).Replace(name))
}

// Quote returns an identifier as it stands in a statement.
func Quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
