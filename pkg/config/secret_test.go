package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/columnstore/columnstore_exporter/pkg/config"
)

const password = "hunter2"

func TestSecretIsMasked(t *testing.T) {
	secret := config.NewSecret(password)
	hidden := struct{ dsn config.Secret }{secret}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T", "%t", "%p"} {
		for _, value := range []any{secret, &secret, hidden, []config.Secret{secret}, config.Ingest{DSN: secret}} {
			if text := fmt.Sprintf(verb, value); strings.Contains(text, password) || strings.Contains(text, fmt.Sprintf("%x", password)) {
				t.Errorf("%s of %T shows %s", verb, value, text)
			}
		}
	}
	if got := secret.Reveal(); got != password {
		t.Errorf("Reveal: %q", got)
	}
}

func TestSecretPrintsAsStars(t *testing.T) {
	for secret, want := range map[config.Secret]string{config.NewSecret(password): "***", config.NewSecret(""): "", {}: ""} {
		inJSON, err := json.Marshal(secret)
		if err != nil || string(inJSON) != `"`+want+`"` {
			t.Errorf("JSON: %s, %v", inJSON, err)
		}
		if got := fmt.Sprintf("%s%v%#v", secret, secret, secret) + secret.String() + secret.GoString(); got != strings.Repeat(want, 5) {
			t.Errorf("text: %s", got)
		}
	}
}

func TestSecretInLogs(t *testing.T) {
	core, logs := observer.New(zapcore.DebugLevel)
	secret := config.NewSecret(password)
	zap.New(core).Info("settings", zap.Any("secret", secret), zap.Any("ingest", config.Ingest{DSN: secret}), zap.Stringer("stringer", secret))
	encoder := zapcore.NewJSONEncoder(zapcore.EncoderConfig{})
	line, err := encoder.EncodeEntry(logs.All()[0].Entry, logs.All()[0].Context)
	if err != nil || strings.Contains(line.String(), password) || strings.Count(line.String(), "***") != 3 {
		t.Errorf("log line: %s, %v", line, err)
	}
}

func TestNoErrorHoldsTheDSN(t *testing.T) {
	for _, dsn := range []string{
		password, "user:" + password, "user:" + password + "@tcp(db:3306)", "user:" + password + "@odd/", "user:" + password + "@tcp(db/",
		"user@/db?timeout=" + password, "user@/db?allowAllFiles=" + password, "user@/%" + password, "user@/db?tls=" + password,
		"user:" + password + "@/db?strict=true",
	} {
		want := "COLUMNSTORE_EXPORTER_INGEST_DSN: not a data source name of go-sql-driver; write it like user:password@tcp(host:3306)/"
		if got := refuse(t, "INGEST_DSN="+dsn); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q", dsn, got)
		}
	}
}

func TestUnknownVariableDoesNotShowItsValue(t *testing.T) {
	_, warnings, err := config.Load(environ("INGEST_DNS=" + password))
	if text := fmt.Sprint(warnings, err); strings.Contains(text, password) {
		t.Error(text)
	}
}

func TestReadDSN(t *testing.T) {
	const dsn = "user:" + password + "@tcp(db:3306)/"
	file := filepath.Join(t.TempDir(), "dsn")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fromFile := load(t, "INGEST_DSN_FILE="+file).Ingest
	read := func() string {
		secret, err := fromFile.ReadDSN()
		if err != nil {
			return err.Error()
		}
		return secret.Reveal()
	}
	const prefix = "COLUMNSTORE_EXPORTER_INGEST_DSN_FILE: "
	steps := []struct{ text, want string }{
		{" " + dsn + "\r\n", dsn},
		{"other@/", "other@/"},
		{"\n", prefix + file + " is empty; write the data source name into it"},
		{password, prefix + file + ": not a data source name of go-sql-driver; write it like user:password@tcp(host:3306)/"},
		{strings.Repeat(password, 20_000), prefix + file + " is too long to hold a data source name"},
	}
	if got := read(); got != prefix+"read data source name: open "+file+": no such file or directory" {
		t.Errorf("without a file: %s", got)
	}
	for _, step := range steps {
		write(step.text)
		if got := read(); got != step.want {
			t.Errorf("with %.40q: %.200s", step.text, got)
		}
	}
}

func TestReadDSNFromTheEnvironment(t *testing.T) {
	direct := load(t, "INGEST_DSN=user@/").Ingest
	if secret, err := direct.ReadDSN(); err != nil || secret.Reveal() != "user@/" || !direct.Configured() {
		t.Errorf("%q, %v", secret.Reveal(), err)
	}
	none := load(t).Ingest
	if _, err := none.ReadDSN(); err == nil || none.Configured() {
		t.Errorf("without either: configured %v, %v", none.Configured(), err)
	}
}
