package config

import (
	"fmt"
	"io"
)

// mask is what stands in place of a secret.
const mask = "***"

// Secret is a text that prints as *** in every way of package fmt, in JSON and as text, also from inside of other values:
// the text is behind a pointer, which fmt does not follow when a Secret sits in an unexported field. The zero Secret is
// empty, and prints as nothing.
type Secret struct{ text *string }

// NewSecret hides text.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal returns the text itself, for the one who needs it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Equal tells whether both hide the same text.
func (s Secret) Equal(other Secret) bool { return s.Reveal() == other.Reveal() }

// String returns *** or nothing.
func (s Secret) String() string {
	if s.Reveal() == "" {
		return ""
	}
	return mask
}

// GoString returns what String does.
func (s Secret) GoString() string { return s.String() }

// Format writes what String does, whatever the verb: for a verb that does not fit, package fmt would show the innards.
func (s Secret) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, s.String()) }

// MarshalText returns what String does, for JSON and YAML too.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText hides text.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))
	return nil
}
