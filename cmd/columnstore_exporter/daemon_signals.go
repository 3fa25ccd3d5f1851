//go:build linux

package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// asks returns where the signals arrive that ask for something. It begins before the daemon is made: by default these
// signals end a process.
func asks() (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGUSR1)
	return signals, func() { signal.Stop(signals) }
}

// watchSignals carries out what signals ask for, until ctx ends.
func (d *exporterDaemon) watchSignals(ctx context.Context, signals <-chan os.Signal) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case s := <-signals:
			d.carryOut(s)
		}
	}
}

func (d *exporterDaemon) carryOut(s os.Signal) {
	switch {
	case s == syscall.SIGHUP:
		d.log.Info("discovery asked for by signal")
		d.monitor.Rediscover()
	case d.imports == nil:
		d.log.Warn("import trial asked for by signal, but none is configured: set COLUMNSTORE_EXPORTER_INGEST_DSN")
	default:
		d.log.Info("import trial asked for by signal")
		d.imports.Trigger()
	}
}

// announce tells systemd that the daemon is up. What it measures comes later: storage must not delay a start.
func (d *exporterDaemon) announce() {
	where := strings.Join(d.settings.Web.ListenAddresses, ", ")
	if d.settings.Web.SystemdSocket {
		where = "the sockets of systemd"
	}
	// An error is that of a socket that nobody listens on.
	_, _ = daemon.SdNotify(false, daemon.SdNotifyReady+"\nSTATUS=Listening on "+where)
}

// keepAlive tells systemd that the daemon is alive, as often as its watchdog asks for. That does not depend on storage.
func (d *exporterDaemon) keepAlive(ctx context.Context) error {
	defer func() { _, _ = daemon.SdNotify(false, daemon.SdNotifyStopping) }()
	interval, err := daemon.SdWatchdogEnabled(false)
	if err != nil || interval == 0 {
		<-ctx.Done()
		return nil
	}
	ticker := time.NewTicker(interval / 2)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if d.monitor.Healthy() == nil {
				_, _ = daemon.SdNotify(false, daemon.SdNotifyWatchdog)
			}
		}
	}
}
