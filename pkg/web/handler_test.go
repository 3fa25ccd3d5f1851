package web_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap/zaptest"

	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/web"
)

// handler serves a snapshot of a daemon that is well.
func handler(tb testing.TB, snapshot status.Snapshot) http.Handler {
	tb.Helper()
	return newHandler(tb, web.Options{Snapshot: func() status.Snapshot { return snapshot }})
}

// newHandler fills in what a test does not care about.
func newHandler(tb testing.TB, o web.Options) http.Handler {
	tb.Helper()
	well := func() error { return nil }
	if o.Healthy == nil {
		o.Healthy = well
	}
	if o.Ready == nil {
		o.Ready = well
	}
	if o.Metrics == nil {
		o.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "up 1") })
	}
	if o.Snapshot == nil {
		o.Snapshot = func() status.Snapshot { return status.Snapshot{} }
	}
	o.Log = zaptest.NewLogger(tb)
	h, err := web.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	text   string
}

func ask(tb testing.TB, h http.Handler, method, path string) answer {
	tb.Helper()
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, httptest.NewRequestWithContext(tb.Context(), method, path, http.NoBody))
	return answer{recorder.Code, recorder.Result().Header, recorder.Body.String()}
}

// TestAnswersAreCompressed holds that the same comes for clients that take it compressed, and for those that do not.
func TestAnswersAreCompressed(t *testing.T) {
	series := strings.Repeat("columnstore_up 1\n", 10_000)
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, series) })
	h := newHandler(t, web.Options{Metrics: metrics})
	for accepted, want := range map[string]string{"": "", "identity": "", "gzip": "gzip", "zstd, br, deflate, gzip": "gzip", "zstd": "", "gzip;q=0": ""} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody)
		request.Header.Set("Accept-Encoding", accepted)
		recorder := httptest.NewRecorder()
		h.ServeHTTP(recorder, request)
		if got := recorder.Header().Get("Content-Encoding"); got != want {
			t.Errorf("%q: encoding %q instead of %q", accepted, got, want)
		}
		var body io.Reader = recorder.Body
		if want == "gzip" {
			unpacked, err := gzip.NewReader(body)
			if err != nil {
				t.Fatal(err)
			}
			body = unpacked
		}
		if text, err := io.ReadAll(body); err != nil || string(text) != series {
			t.Errorf("%q: %d bytes, %v", accepted, len(text), err)
		}
	}
}

func TestPaths(t *testing.T) {
	const (
		html  = "text/html; charset=utf-8"
		plain = "text/plain; charset=utf-8"
	)
	for _, test := range []struct {
		method, path string
		pprof        bool
		status       int
		contentType  string
		contains     string
	}{
		{"GET", "/", false, 200, html, "<!doctype html>"},
		{"GET", "/metrics", false, 200, plain, "up 1"},
		{"GET", "/api/v1/status", false, 200, "application/json", `"host":"db-2.example"`},
		{"GET", "/-/healthy", false, 200, plain, "healthy"},
		{"GET", "/-/ready", false, 200, plain, "ready"},
		{"GET", "/favicon.svg", false, 200, "image/svg+xml", "<svg"},
		{"HEAD", "/", false, 200, html, ""},
		{"HEAD", "/-/healthy", false, 200, plain, ""},
		{"HEAD", "/metrics", false, 200, plain, ""},
		{"POST", "/", false, 405, plain, "Method Not Allowed"},
		{"PUT", "/metrics", false, 405, plain, "Method Not Allowed"},
		{"DELETE", "/api/v1/status", false, 405, plain, "Method Not Allowed"},
		{"POST", "/-/ready", false, 405, plain, "Method Not Allowed"},
		{"GET", "/nowhere", false, 404, plain, "not found"},
		{"GET", "/metrics/", false, 404, plain, "not found"},
		{"GET", "/debug/pprof/", false, 404, plain, "not found"},
		{"GET", "/debug/pprof/", true, 200, html, "goroutine"},
		{"GET", "/debug/pprof/cmdline", true, 200, plain, ""},
		{"POST", "/debug/pprof/symbol", true, 405, plain, "Method Not Allowed"},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			snapshot := node(1)
			h := newHandler(t, web.Options{PProf: test.pprof, Snapshot: func() status.Snapshot { return snapshot }})
			got := ask(t, h, test.method, test.path)
			if got.status != test.status {
				t.Errorf("status %d, want %d", got.status, test.status)
			}
			if contentType := got.header.Get("Content-Type"); contentType != test.contentType {
				t.Errorf("content type %q, want %q", contentType, test.contentType)
			}
			if text := got.text; !strings.Contains(text, test.contains) {
				t.Errorf("body %.200q, want %q in it", text, test.contains)
			}
			if test.status == http.StatusMethodNotAllowed && got.header.Get("Allow") != "GET, HEAD" {
				t.Errorf("allows %q, want GET, HEAD", got.header.Get("Allow"))
			}
		})
	}
}

func TestEveryAnswerCarriesTheSecurityHeaders(t *testing.T) {
	h := newHandler(t, web.Options{Ready: func() error { return errors.New("first round") }})
	for _, path := range []string{"/", "/metrics", "/api/v1/status", "/-/healthy", "/-/ready", "/nowhere"} {
		got := ask(t, h, http.MethodGet, path).header
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
		} {
			if got.Get(name) != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got.Get(name), want)
			}
		}
		policy := got.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: policy %q lacks %s", path, policy, want)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") {
			t.Errorf("%s: policy %q lets a script in", path, policy)
		}
	}
}

func TestChecksTellTheReason(t *testing.T) {
	for path, o := range map[string]web.Options{
		"/-/healthy": {Healthy: func() error { return errors.New("the scheduler stands still") }},
		"/-/ready":   {Ready: func() error { return errors.New("the scheduler stands still") }},
	} {
		got := ask(t, newHandler(t, o), http.MethodGet, path)
		if text := got.text; got.status != http.StatusServiceUnavailable || !strings.Contains(text, "the scheduler stands still") {
			t.Errorf("%s: %d %q, want 503 with the reason", path, got.status, text)
		}
	}
}

func TestAPIIsTheSnapshot(t *testing.T) {
	want := node(16)
	var got status.Snapshot
	if err := json.Unmarshal([]byte(ask(t, handler(t, want), http.MethodGet, "/api/v1/status").text), &got); err != nil {
		t.Fatal(err)
	}
	for i := range want.Targets {
		want.Targets[i].Recent = nil // too many for JSON
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAPIReportsWhatCannotBeEncoded(t *testing.T) {
	broken := node(1)
	broken.Targets[0].Read.Avg = math.NaN()
	if got := ask(t, handler(t, broken), http.MethodGet, "/api/v1/status"); got.status != http.StatusInternalServerError {
		t.Errorf("status %d, want 500", got.status)
	}
}
