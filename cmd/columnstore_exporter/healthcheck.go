//go:build linux

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/columnstore/columnstore_exporter/pkg/config"
	"github.com/columnstore/columnstore_exporter/pkg/web"
)

// healthcheckTimeout is well below the 30 s that container engines give a health check.
const healthcheckTimeout = 5 * time.Second

func (a app) healthcheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "healthcheck [URL]",
		Short: "Exit with 0 when the daemon answers /-/healthy",
		Long: "Asks the daemon that listens where COLUMNSTORE_EXPORTER_LISTEN_ADDRESS says, or at URL, for /-/healthy.\n" +
			"Over TLS the certificate is not verified: the daemon is asked for its health, not for its name.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return healthy(cmd.Context(), args[0])
			}
			settings, err := a.settings()
			if err != nil {
				return err
			}
			url, err := healthURL(settings.Web)
			if err != nil {
				return exit{exitError, err}
			}
			return healthy(cmd.Context(), url)
		},
	}
}

// healthURL is where the daemon of these settings answers on this machine.
func healthURL(w config.Web) (string, error) {
	if w.SystemdSocket {
		return "", errors.New("the address is known to systemd alone: give the URL, such as healthcheck http://127.0.0.1:10570/-/healthy")
	}
	host, port, err := net.SplitHostPort(w.ListenAddresses[0])
	if err != nil {
		return "", fmt.Errorf("COLUMNSTORE_EXPORTER_LISTEN_ADDRESS: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	overTLS, err := web.ServesTLS(w.ConfigFile)
	if err != nil {
		return "", fmt.Errorf("COLUMNSTORE_EXPORTER_WEB_CONFIG_FILE: %w", err)
	}
	scheme := "http"
	if overTLS {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort(host, port) + "/-/healthy", nil
}

// healthy asks url. That the daemon demands a password or a client certificate is an answer, too.
func healthy(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, healthcheckTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return exit{exitError, fmt.Errorf("ask %s: %w", url, err)}
	}
	var demanded atomic.Bool
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		InsecureSkipVerify: true, //nolint:gosec // see the command's help
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			demanded.Store(true)
			return new(tls.Certificate), nil
		},
	}}}
	response, err := client.Do(request)
	switch {
	case err != nil && demanded.Load() && ctx.Err() == nil:
		return nil // with TLS 1.3, the refusal comes as an alert or as a connection that breaks
	case err != nil:
		return exit{exitError, fmt.Errorf("ask for health: %w", err)}
	}
	defer response.Body.Close() //nolint:errcheck // nothing is read
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusUnauthorized {
		return exit{exitError, fmt.Errorf("%s answers %s", url, response.Status)}
	}
	return nil
}
