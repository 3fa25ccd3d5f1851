//go:build linux

package web

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"

	"go.uber.org/zap"
)

//go:embed assets/status.html
var statusHTML string

//go:embed assets/status.css
var statusCSS string

//go:embed assets/favicon.svg
var faviconSVG []byte

// refreshSeconds is how often the page loads itself anew.
const refreshSeconds = 15

// page serves the status page.
type page struct {
	Options
	template *template.Template
	// policy allows the page its own stylesheet, by hash, and its icon; nothing else.
	policy string
}

func newPage(o Options) (http.Handler, error) {
	parsed, err := template.New("status").Parse(statusHTML)
	if err != nil {
		return nil, fmt.Errorf("parse the status page: %w", err)
	}
	hash := sha256.Sum256([]byte(statusCSS))
	return page{Options: o, template: parsed, policy: fmt.Sprintf(
		"default-src 'none'; style-src 'sha256-%s'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		base64.StdEncoding.EncodeToString(hash[:]),
	)}, nil
}

func (p page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var text bytes.Buffer
	if err := p.template.Execute(&text, newView(p.Snapshot())); err != nil {
		p.Log.Error("status page cannot be rendered", zap.Error(err))
		http.Error(w, "the status page cannot be rendered: see the log", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", p.policy)
	reply(w, "text/html; charset=utf-8", text.Bytes())
}

func favicon(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "max-age=86400")
	reply(w, "image/svg+xml", faviconSVG)
}
