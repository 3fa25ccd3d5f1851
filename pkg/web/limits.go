//go:build linux

package web

import (
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Limits of a connection. An answer comes from memory: who takes longer than this is no scraper. The profiles of pprof that
// are asked to take their time get it, since net/http/pprof moves the deadline.
const (
	readTimeout    = 5 * time.Second // of a request, with a body that nobody reads
	writeTimeout   = 20 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 16 << 10
)

// maxConnections is how many connections a server keeps, so that their memory is bounded whatever number of clients there is.
// More are closed at once.
const maxConnections = 2048

// limited returns a server with limits on the time, the size and the number of what clients ask.
func limited() *http.Server {
	server := &http.Server{
		ReadTimeout: readTimeout, ReadHeaderTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
	}
	var open atomic.Int64
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			if open.Add(1) > maxConnections {
				_ = conn.Close() // the server then finds it closed
			}
		case http.StateClosed, http.StateHijacked:
			open.Add(-1)
		case http.StateActive, http.StateIdle:
		}
	}
	return server
}
