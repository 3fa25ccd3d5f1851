//go:build linux

package web_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/web"
)

// A password in the wrong place is not to end up in a journal, nor in what a container engine keeps of health checks.
func TestErrorsOfTheConfigurationShowNoSecret(t *testing.T) {
	readers := map[string]func(file string) error{
		"Serve": func(file string) error {
			return web.Serve(t.Context(), newHandler(t, web.Options{}), web.ListenOptions{Addresses: []string{"127.0.0.1:0"}, ConfigFile: file}, zap.NewNop())
		},
		"CheckConfig": web.CheckConfig,
		"ServesTLS": func(file string) error {
			_, err := web.ServesTLS(file)
			return err
		},
	}
	for _, test := range []struct{ name, text, where string }{
		{"as a section", "tls_server_config:\n  hunter2\n", "line 2"},
		{"with the marks of a quotation", "tls_server_config:\n  hunt`er2\n", "line 2"},
		{"like a reference", "tls_server_config:\n  *hunter2\n", "unknown anchor"},
	} {
		file := filepath.Join(t.TempDir(), "web.yml")
		if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		for reader, read := range readers {
			t.Run(test.name+"/"+reader, func(t *testing.T) {
				err := read(file)
				if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), test.where) ||
					strings.Contains(err.Error(), "hunt") || strings.Contains(err.Error(), "er2") {
					t.Errorf("error %v, want one that names %s and %q, and shows no value", err, file, test.where)
				}
			})
		}
	}
}

func TestServesTLS(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		name, text string
		want       bool
	}{
		{"a certificate", "tls_server_config: {cert_file: a, key_file: b}\n", true},
		{"an empty section", "tls_server_config: {}\n", false},
		{"passwords alone", "basic_auth_users: {}\n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(dir, "web.yml")
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := web.ServesTLS(file); err != nil || got != test.want {
				t.Errorf("got %v, %v, want %v", got, err, test.want)
			}
		})
	}
	if got, err := web.ServesTLS(""); got || err != nil {
		t.Errorf("without a file: %v, %v", got, err)
	}
	if _, err := web.ServesTLS(filepath.Join(dir, "none.yml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}
