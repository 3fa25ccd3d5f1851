//go:build linux

package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/exporter-toolkit/web"
	"go.uber.org/zap"
	"go.uber.org/zap/exp/zapslog"
	"golang.org/x/sync/errgroup"
)

// ListenOptions says where to listen.
type ListenOptions struct {
	// Addresses are host:port, or vsock://:port.
	Addresses []string
	// SystemdSocket takes the sockets that systemd passed instead.
	SystemdSocket bool
	// ConfigFile is exporter-toolkit's file for TLS, client certificates and basic authentication; empty for none.
	ConfigFile string
	// Listening, if set, is called once, when every address is listened on.
	Listening func()
}

// shutdownTimeout is how long answers under way may take when the daemon ends.
const shutdownTimeout = time.Second

// Serve answers on every address until ctx is done, which is no error, or until one of them cannot be served, which ends
// them all. It returns when every socket is closed.
func Serve(ctx context.Context, handler http.Handler, o ListenOptions, log *zap.Logger) error {
	if !o.SystemdSocket && len(o.Addresses) == 0 {
		return errors.New("no address to listen on")
	}
	// The toolkit looks at the file only once it listens, and then goes on with the other addresses.
	if err := CheckConfig(o.ConfigFile); err != nil {
		return err
	}
	logger := slog.New(zapslog.NewHandler(log.Core(), zapslog.WithName("web")))
	servers, ctx := errgroup.WithContext(ctx)
	groups := o.groups()
	listening := countdown(len(groups), o.Listening)
	for _, addresses := range groups {
		servers.Go(func() error { return serve(ctx, handler, addresses, o, sync.OnceFunc(listening), logger) })
	}
	return servers.Wait() //nolint:wrapcheck // serve's own error
}

// groups gives every address a server of its own: the toolkit wraps a server's handler anew for each of its listeners.
func (o ListenOptions) groups() [][]string {
	if o.SystemdSocket {
		return [][]string{nil}
	}
	var groups [][]string
	for _, address := range o.Addresses {
		groups = append(groups, []string{address})
	}
	return groups
}

// countdown returns a function whose n-th call calls done, which may be nil.
func countdown(n int, done func()) func() {
	var calls atomic.Int64
	return func() {
		if calls.Add(1) == int64(n) && done != nil {
			done()
		}
	}
}

func serve(ctx context.Context, handler http.Handler, addresses []string, o ListenOptions, listening func(), logger *slog.Logger) error {
	server := limited()
	server.Handler = handler
	server.ErrorLog = slog.NewLogLogger(logger.Handler(), slog.LevelWarn)
	// The toolkit does not tell when it listens; the server asks for this once it does, for each socket.
	server.BaseContext = func(net.Listener) context.Context {
		listening()
		return context.WithoutCancel(ctx)
	}
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		shutdown(context.WithoutCancel(ctx), server)
	})
	err := web.ListenAndServe(server, &web.FlagConfig{
		WebListenAddresses: &addresses,
		WebSystemdSocket:   &o.SystemdSocket,
		WebConfigFile:      &o.ConfigFile,
	}, logger)
	if !stop() {
		<-closed
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	if o.SystemdSocket {
		return fmt.Errorf("serve on the sockets of systemd: %w", err)
	}
	return fmt.Errorf("serve on %s: %w", addresses[0], err)
}

// shutdown lets answers under way finish for a while, then cuts them off.
func shutdown(ctx context.Context, server *http.Server) {
	ctx, cancel := context.WithTimeout(ctx, shutdownTimeout)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close() // closes what it can; there is nobody left to tell
	}
}
