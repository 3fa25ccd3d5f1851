//go:build mariadb

package main

import (
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/mariadbtest"
)

// leastPrivileged makes the user of README's grants, and returns its DSN.
func leastPrivileged(t *testing.T, s *mariadbtest.Server, password string) string {
	t.Helper()
	const user = "'columnstore_exporter'@'localhost'"
	s.Exec(t, append([]string{"CREATE USER " + user + " IDENTIFIED BY '" + password + "'"}, ingest.Grants(user, "columnstore_exporter")...)...)
	return s.DSN("columnstore_exporter", password)
}

func TestDaemonImports(t *testing.T) {
	server := mariadbtest.Start(t)
	p := startExporter(t, fast(dbroot(t.TempDir()), "INGEST_DSN="+leastPrivileged(t, server, "s3cr3t"))...)
	p.expect("up", is(1))
	p.now()
	p.expect("ingest_trials_total", is(1))
	p.expect("ingest_last_rows{method=\"load_data\"}", is(10_000))
	p.expect("ingest_table_rows", is(20_000)) // the seed and the trial
	p.expect("ingest_in_flight_start_timestamp_seconds", is(0))
	if rows := server.Value(t, "SELECT COUNT(*) FROM columnstore_exporter.cptest"); rows != "20000" {
		t.Errorf("%s rows in the table", rows)
	}

	server.Kill()
	p.expect("up", is(0))
	p.now()
	p.expect(`ingest_skipped_total{reason="sql"}`, above(0))
	server.Run(t)
	p.expect("up", is(1))
	p.now()
	p.expect("ingest_trials_total", above(1))
	p.expect(`ingest_duration_seconds_count{method="load_data"}`, is(2))
}

// TestDaemonImportsOverTLS names the certificate's authority as any Go program is told of it, and the secret in a file.
func TestDaemonImportsOverTLS(t *testing.T) {
	certificate, key := keyPair(t)
	_, port, _ := strings.Cut(testbed.FreeAddress(t), ":")
	server := mariadbtest.Start(t, "--skip-networking=0", "--bind-address=127.0.0.1", "--port="+port,
		"--ssl-cert="+certificate, "--ssl-key="+key, "--require-secure-transport=1")
	leastPrivileged(t, server, "s3cr3t")
	file := filepath.Join(t.TempDir(), "dsn")
	if err := os.WriteFile(file, []byte("columnstore_exporter:s3cr3t@tcp(127.0.0.1:"+port+")/?tls=true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SSL_CERT_FILE", certificate)
	p := startExporter(t, fast(dbroot(t.TempDir()), "INGEST_ROWS=10", "INGEST_DSN_FILE="+file)...)
	p.now()
	p.expect(`ingest_last_rows{method="load_data"}`, is(10))

	t.Setenv("SSL_CERT_FILE", "/nonexistent")
	p = startExporter(t, fast(dbroot(t.TempDir()), "INGEST_ROWS=10", "INGEST_DSN_FILE="+file)...)
	p.now()
	p.expect(`ingest_skipped_total{reason="sql"}`, is(1)) // a stranger's certificate
}

// keyPair returns files with a certificate for 127.0.0.1, which signs itself, and its key.
func keyPair(t *testing.T) (certificate, key string) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	pair := server.TLS.Certificates[0]
	private, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	save := func(name, kind string, bytes []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return save("certificate", "CERTIFICATE", pair.Certificate[0]), save("key", "PRIVATE KEY", private)
}

func TestDaemonProbesWithoutItsDatabase(t *testing.T) {
	dir := t.TempDir()
	p := startExporter(t, fast(dbroot(dir), "INGEST_DSN=user:secret@unix("+dir+"/none)/")...)
	p.expect("up", is(0))
	p.expect(series("success", dir), is(1))
	p.eventually("ready", func() bool { return p.get("/-/ready") == "ready\n" })
}

func TestDaemonKeepsTheSecret(t *testing.T) {
	const secret = "wr0ng-passw0rd"
	server := mariadbtest.Start(t)
	leastPrivileged(t, server, "right")
	p := startExporter(t, fast(dbroot(t.TempDir()), "LOG_LEVEL=debug", "PPROF=true", "INGEST_DSN="+server.DSN("columnstore_exporter", secret))...)
	p.expect("up", is(0))
	p.now()
	p.expect(`ingest_skipped_total{reason="sql"}`, above(0))
	for _, path := range []string{"/", "/metrics", "/api/v1/status", "/-/ready", "/debug/pprof/cmdline"} {
		if strings.Contains(p.get(path), secret) {
			t.Errorf("the secret is on %s", path)
		}
	}
	for _, pid := range children(t, p.cmd.Process.Pid) {
		if environ, err := os.ReadFile(filepath.Join("/proc", itoa(pid), "environ")); err == nil && strings.Contains(string(environ), secret) {
			t.Errorf("the secret is in the environment of worker %d", pid)
		}
	}
	if strings.Contains(p.logs.String(), secret) {
		t.Error("the secret is in the log")
	}
}

func TestCheckImports(t *testing.T) {
	server := mariadbtest.Start(t)
	dsn := leastPrivileged(t, server, "right")
	runScripts(t, "testdata/mariadb", func(env *testscript.Env) error {
		env.Setenv("COLUMNSTORE_EXPORTER_INGEST_DSN", dsn)
		return nil
	})
}
