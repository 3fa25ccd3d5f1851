//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

func (a app) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon (the default)",
		Long: "Runs the daemon in the foreground. SIGTERM and SIGINT end it, SIGHUP asks for a discovery now,\n" +
			"SIGUSR1 for an import trial now.",
		Args: cobra.NoArgs,
		RunE: a.runServe,
	}
}

func (a app) runServe(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context()) }

// serve runs the daemon until a signal or ctx ends it.
func (a app) serve(ctx context.Context) error {
	settings, err := a.settings()
	if err != nil {
		return err
	}
	if err := checkWeb(settings.Web); err != nil {
		return exit{exitConfig, err}
	}
	log, lines, err := newLogger(settings.Log, a.stderr)
	if err != nil {
		return exit{exitConfig, err}
	}
	defer func() { _ = lines.Close(lastLines) }()
	a.keepSmall()
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	signals, ignore := asks()
	defer ignore()
	host, err := os.Hostname()
	if err != nil {
		return exit{exitError, fmt.Errorf("find this host's name: %w", err)}
	}
	pool := worker.NewPool(workerOptions(a.clock, log))
	defer pool.Close()
	d, err := newDaemon(ctx, settings, host, pool, a.clock, log)
	if err != nil {
		return exit{exitConfig, err}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return d.serveHTTP(ctx) })
	group.Go(func() error { return d.watchSignals(ctx, signals) })
	group.Go(func() error { return d.keepAlive(ctx) })
	group.Go(func() error { return d.probe(ctx) })
	if err := group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return exit{exitError, err}
	}
	log.Info("ended")
	return nil
}

// gcPercent has the daemon collect early, for it is long-lived and allocates little.
const gcPercent = 50

// keepSmall keeps the daemon to one processor at a time and to little memory, unless the operator says otherwise by
// GOMAXPROCS or GOGC: both belong to ColumnStore. On one processor a sample that arrives wakes one thread instead of two.
// The workers, which measure, are processes of their own.
func (a app) keepSmall() {
	if a.getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
	if a.getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
