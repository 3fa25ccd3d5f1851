package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// The user of the web configuration and the bcrypt hash of its password.
const (
	webUser     = "prometheus"
	webPassword = "pr0metheus-passw0rd"
	webHash     = "$2a$04$S6Bk3nP6uZvNDavBG9ao0u3jYo7ZexnYXZJ7YVacVCoy5pSR5pPH2"
)

// guarded is a daemon that wants a client certificate and a password.
type guarded struct {
	*exporterProcess
	authority authority
	config    string // the web configuration
	secrets   []string
}

func startGuarded(t *testing.T, env ...string) guarded {
	t.Helper()
	g := guarded{authority: newAuthority(t), config: filepath.Join(t.TempDir(), "web.yml")}
	server := g.authority.issue("exporter", x509.ExtKeyUsageServerAuth)
	g.authority.write(filepath.Dir(g.config), server)
	text := "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n" +
		"  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.crt\n" +
		"basic_auth_users:\n  " + webUser + ": " + webHash + "\n"
	if err := os.WriteFile(g.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(server.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	g.secrets = []string{webPassword, webHash, base64.StdEncoding.EncodeToString(key)[:40], string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))}
	g.exporterProcess = launchExporter(t, fast(append(env, dbroot(t.TempDir()), "LISTEN_ADDRESS="+testbed.FreeAddress(t), "WEB_CONFIG_FILE="+g.config)...)...)
	g.eventually("the daemon answers over TLS", func() bool { return g.ask(g.client(), "/-/healthy", webPassword).status == http.StatusOK })
	return g
}

// client is a client with a certificate of the authority's.
func (g guarded) client() *tls.Config {
	return &tls.Config{RootCAs: g.authority.pool(), Certificates: []tls.Certificate{g.authority.issue("client", x509.ExtKeyUsageClientAuth)}}
}

// answer is what a client gets: an error, or a response.
type answer struct {
	err    error
	status int
	header http.Header
	body   string
}

// ask asks over TLS; without a password it tells no user either.
func (g guarded) ask(client *tls.Config, path, password string) answer {
	g.t.Helper()
	request, err := http.NewRequestWithContext(g.t.Context(), http.MethodGet, "https://"+g.address+path, http.NoBody)
	if err != nil {
		g.t.Fatal(err)
	}
	if password != "" {
		request.SetBasicAuth(webUser, password)
	}
	transport := &http.Transport{TLSClientConfig: client, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport, Timeout: patience}).Do(request)
	if err != nil {
		return answer{err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return answer{err, response.StatusCode, response.Header, string(body)}
}

func TestDaemonAsksForCertificateAndPassword(t *testing.T) {
	g := startGuarded(t)
	stranger := newAuthority(t)
	forged, none, old, misled := g.client(), g.client(), g.client(), g.client()
	forged.Certificates = []tls.Certificate{stranger.issue("client", x509.ExtKeyUsageClientAuth)}
	none.Certificates = nil
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	misled.RootCAs = stranger.pool()
	for _, test := range []struct {
		name     string
		client   *tls.Config
		password string
		status   int    // 0: there is no answer
		logged   string // why
	}{
		{"all is right", g.client(), webPassword, http.StatusOK, ""},
		{"no password", g.client(), "", http.StatusUnauthorized, ""},
		{"a wrong password", g.client(), "wrong", http.StatusUnauthorized, ""},
		{"no certificate", none, webPassword, 0, "client didn't provide a certificate"},
		{"a certificate of somebody else's", forged, webPassword, 0, "failed to verify certificate"},
		{"TLS 1.1", old, webPassword, 0, "unsupported versions"},
		{"a client that trusts another authority", misled, webPassword, 0, "remote error: tls: bad certificate"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := g.ask(test.client, "/metrics", test.password)
			if got.status != test.status {
				t.Errorf("status %d, want %d (error %v)", got.status, test.status, got.err)
			}
			g.eventually("the log says why", func() bool { return strings.Contains(g.logs.String(), test.logged) })
			if test.status == http.StatusUnauthorized && strings.Contains(got.body, "columnstore") {
				t.Errorf("a stranger is told %q", got.body)
			}
		})
	}
	if body := g.get("/metrics"); strings.Contains(body, "columnstore_") { // without TLS
		t.Errorf("the metrics are served without TLS: %.100s", body)
	}
	check := launchCommand(t, []string{"healthcheck"}, "LISTEN_ADDRESS="+g.address, "WEB_CONFIG_FILE="+g.config)
	<-check.ended
	if code := check.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("healthcheck: exit code %d\n%s", code, check.logs)
	}
}

// TestDaemonTakesNewCertificates holds that a certificate is renewed without a restart.
func TestDaemonTakesNewCertificates(t *testing.T) {
	g := startGuarded(t)
	next := newAuthority(t)
	next.write(filepath.Dir(g.config), next.issue("exporter", x509.ExtKeyUsageServerAuth))
	old := g.client()
	g.authority = next
	if got := g.ask(g.client(), "/-/healthy", webPassword); got.status != http.StatusOK {
		t.Errorf("status %d, error %v", got.status, got.err)
	}
	if got := g.ask(old, "/-/healthy", webPassword); got.err == nil {
		t.Error("the old authority's client is still let in")
	}
}

// everything is every path that is served, those of pprof too.
func everything() []string {
	return []string{
		"/", "/metrics", "/api/v1/status", "/-/healthy", "/-/ready", "/favicon.svg", "/nowhere",
		"/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/goroutine?debug=2", "/debug/pprof/heap?debug=1", "/debug/pprof/symbol",
	}
}

func TestDaemonSecuresEveryAnswer(t *testing.T) {
	g := startGuarded(t, "PPROF=true")
	for _, path := range everything() {
		got := g.ask(g.client(), path, webPassword)
		if got.err != nil {
			t.Fatal(got.err)
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": "frame-ancestors 'none'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "",
		} {
			if value := got.header.Get(name); value == "" || !strings.Contains(value, want) {
				t.Errorf("%s: %s is %q, want %q", path, name, value, want)
			}
		}
		if server := got.header.Get("Server"); server != "" {
			t.Errorf("%s tells that it is %s", path, server)
		}
	}
	// Who is not let in gets the answer of the web library, which has nothing to frame, to cache or to tell.
	if got := g.ask(g.client(), "/", ""); got.body != "Unauthorized\n" || got.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("refused with %q and %v", got.body, got.header)
	}
}

func TestDaemonKeepsSecretsOfTheWeb(t *testing.T) {
	const dsn = "dsn-s3cr3t"
	g := startGuarded(t, "PPROF=true", "LOG_LEVEL=debug", "INGEST_DSN=exporter:"+dsn+"@tcp(127.0.0.1:1)/")
	g.ask(g.client(), "/", "wrong-"+webPassword)
	g.eventually("the database was asked", func() bool {
		return strings.Contains(g.ask(g.client(), "/metrics", webPassword).body, "columnstore_up 0")
	})
	config := launchCommand(t, []string{"config"}, "WEB_CONFIG_FILE="+g.config, "INGEST_DSN=exporter:"+dsn+"@tcp(127.0.0.1:1)/")
	<-config.ended
	seen := map[string]string{"the log": g.logs.String(), "the output": g.output.String(), "columnstore_exporter config": config.output.String() + config.logs.String()}
	for _, path := range everything() {
		seen[path] = g.ask(g.client(), path, webPassword).body
	}
	for where, text := range seen {
		for _, secret := range append(g.secrets, dsn) {
			if strings.Contains(text, secret) {
				t.Errorf("%s shows the secret %.20q", where, secret)
			}
		}
	}
	if !strings.Contains(seen["columnstore_exporter config"], "INGEST_DSN=***") || !strings.Contains(seen["/debug/pprof/heap?debug=1"], "heap profile") {
		t.Error("the secret is not masked, or nothing was looked at")
	}
}
