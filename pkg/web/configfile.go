//go:build linux

package web

import (
	"fmt"
	"os"
	"regexp"

	"github.com/prometheus/exporter-toolkit/web"
	"go.yaml.in/yaml/v3"
)

// CheckConfig reads exporter-toolkit's file for TLS, client certificates and basic authentication, and the certificates that
// it names. An empty name is no file, and no error. The error shows no value of the file.
func CheckConfig(file string) error {
	if err := web.Validate(file); err != nil {
		return fmt.Errorf("web configuration %s: %w", file, discreet{err})
	}
	return nil
}

// ServesTLS tells whether exporter-toolkit's file turns TLS on. An empty name is no file, which does not. The error shows no
// value of the file.
func ServesTLS(file string) (bool, error) {
	if file == "" {
		return false, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return false, fmt.Errorf("web configuration: %w", err)
	}
	var c struct {
		TLS web.TLSConfig `yaml:"tls_server_config"`
	}
	if err := yaml.Unmarshal(text, &c); err != nil {
		return false, fmt.Errorf("web configuration %s: %w", file, discreet{err})
	}
	return c.TLS.IsEnabled(), nil
}

// discreet is an error about a file with secrets. The values that YAML quotes are not shown: where the indentation is wrong,
// that is a password.
type discreet struct{ error }

// quoted matches from the first quotation mark to the last, since a password may hold one; and what follows an asterisk, with
// which a password may begin, for YAML takes that for a reference.
var quoted = regexp.MustCompile("(?s)`.*`|(unknown anchor )'.*'")

func (d discreet) Error() string { return quoted.ReplaceAllString(d.error.Error(), "$1`***`") }

func (d discreet) Unwrap() error { return d.error }
