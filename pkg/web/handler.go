//go:build linux

// Package web answers HTTP: the status page, its data as JSON, the metrics, and the health checks. It reads memory only, so
// that dead storage never hangs an answer.
package web

import (
	"fmt"
	"net/http"
	"net/http/pprof"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/status"
)

// Options is what the handler shows and where it gets it. Its functions are called from many goroutines at once.
type Options struct {
	// Snapshot returns the picture of the moment.
	Snapshot func() status.Snapshot
	// Metrics serves /metrics, uncompressed.
	Metrics http.Handler
	// Healthy returns why the daemon itself does not work; nil when it does. It must not depend on storage or database.
	Healthy func() error
	// Ready returns what the first answer still waits for; nil once there is one.
	Ready func() error
	// PProf serves /debug/pprof/.
	PProf bool
	Log   *zap.Logger
}

// New returns the handler of all paths. Every path takes GET and HEAD alone, and is compressed for clients that take it: fast
// rather than small, for a scrape of many directories would spend half its time on the last few percent.
func New(o Options) (http.Handler, error) {
	page, err := newPage(o)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", page)
	mux.HandleFunc("GET /favicon.svg", favicon)
	mux.Handle("GET /metrics", o.Metrics)
	mux.Handle("GET /api/v1/status", api{o})
	mux.Handle("GET /-/healthy", check{pass: "healthy", ask: o.Healthy})
	mux.Handle("GET /-/ready", check{pass: "ready", ask: o.Ready})
	if o.PProf {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	compress, err := gzhttp.NewWrapper(gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.EnableZstd(false))
	if err != nil {
		return nil, fmt.Errorf("set up compression: %w", err)
	}
	return secure(compress(mux)), nil
}

// secure sets the headers that every answer carries. Paths that show something relax the policy for themselves.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// check answers a health check: 200, or 503 with the reason.
type check struct {
	pass string
	ask  func() error
}

func (c check) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if err := c.ask(); err != nil {
		http.Error(w, fmt.Sprintf("not %s: %v", c.pass, err), http.StatusServiceUnavailable)
		return
	}
	reply(w, "text/plain; charset=utf-8", []byte(c.pass+"\n"))
}

// reply sends a whole answer. A client that has gone away needs none, so that the error of the write is nobody's.
func reply(w http.ResponseWriter, contentType string, text []byte) {
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write(text)
}
