//go:build linux

package web

import (
	"encoding/json"
	"net/http"

	"go.uber.org/zap"
)

// api serves the snapshot as JSON. It is encoded before the answer begins, so that a failure is an answer of its own.
type api struct {
	Options
}

func (a api) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	text, err := json.Marshal(a.Snapshot())
	if err != nil {
		a.Log.Error("status cannot be encoded", zap.Error(err))
		http.Error(w, "the status cannot be encoded: see the log", http.StatusInternalServerError)
		return
	}
	reply(w, "application/json", append(text, '\n'))
}
