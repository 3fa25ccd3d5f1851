//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/prometheus/common/version"
	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/config"
	"github.com/columnstore/columnstore_exporter/pkg/report"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/tasks"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// checkFlags are what check may be told on the command line.
type checkFlags struct {
	json       bool
	count      int
	interval   time.Duration
	imports    int
	throughput bool
	noCRC      bool
}

func (a app) checkCommand() *cobra.Command {
	var flags checkFlags
	cmd := &cobra.Command{
		Use:   "check [DIRECTORY...]",
		Short: "Measure once and print a report with a verdict",
		Long: "Measures every directory that the daemon would probe, or the given ones, and prints a report with a verdict.\n" +
			"With --ingest it runs import trials after that, with --throughput throughput tests.\n" +
			"Exit code: 0 when every mean is within the target, 1 when one is over it, 2 when something failed, 64 for usage.\n" +
			"An absent bulkRollback is no failure.",
		RunE: func(cmd *cobra.Command, directories []string) error {
			settings, err := a.settings()
			if err != nil {
				return err
			}
			if err := flags.apply(cmd, &settings, directories); err != nil {
				return err
			}
			return a.check(cmd.Context(), settings, flags)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&flags.json, "json", false, "print JSON")
	f.IntVar(&flags.count, "count", 0, "requests for each directory, the first a warm-up (default COLUMNSTORE_EXPORTER_LATENCY_COUNT)")
	f.DurationVar(&flags.interval, "interval", 0, "time from the start of one request to the start of the next (default COLUMNSTORE_EXPORTER_LATENCY_REQUEST_INTERVAL)")
	f.IntVar(&flags.imports, "ingest", 0, "run that many import trials; needs COLUMNSTORE_EXPORTER_INGEST_DSN")
	f.BoolVar(&flags.throughput, "throughput", false, "run the throughput tests in each directory")
	f.BoolVar(&flags.noCRC, "no-crc", false, "throughput tests without checksums")
	return cmd
}

// apply puts what the command line says in the place of what the environment says.
func (f checkFlags) apply(cmd *cobra.Command, settings *config.Settings, directories []string) error {
	if cmd.Flags().Changed("count") {
		if f.count < 2 {
			return exit{exitUsage, fmt.Errorf("--count %d: needs at least 2, as the first request is a warm-up", f.count)}
		}
		settings.Latency.Count = f.count
	}
	if cmd.Flags().Changed("interval") {
		if f.interval < time.Microsecond {
			return exit{exitUsage, fmt.Errorf("--interval %s: needs a duration from 1us on, such as 1s", f.interval)}
		}
		settings.Latency.RequestInterval = f.interval
	}
	if f.imports < 0 || f.imports > 0 && !settings.Ingest.Configured() {
		return exit{exitUsage, fmt.Errorf("--ingest %d: needs a number above 0, and COLUMNSTORE_EXPORTER_INGEST_DSN", f.imports)}
	}
	if f.noCRC {
		settings.Throughput.CRC = false
	}
	if len(directories) == 0 {
		return nil
	}
	settings.Discovery = config.Discovery{}
	named := make(map[string]bool)
	for _, d := range directories {
		absolute, err := filepath.Abs(d)
		if d == "" || err != nil {
			return exit{exitUsage, fmt.Errorf("directory %q: name a directory", d)}
		}
		if named[absolute] {
			continue
		}
		named[absolute] = true
		settings.Discovery.Extra = append(settings.Discovery.Extra, config.NamedPath{Path: absolute})
	}
	return nil
}

// checkGrace is how long storage may take to end what it does when the measurement is stopped.
const checkGrace = 2 * time.Second

// check measures once. Ctrl-C ends the measurement, not the report; a second one ends all.
func (a app) check(ctx context.Context, settings config.Settings, flags checkFlags) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, func() {
		stop()
		if _, watched := terminal(a.stderr); watched {
			_, _ = fmt.Fprintln(a.stderr, "\nstopping: what was measured follows; Ctrl-C again ends at once")
		}
	})()
	host, err := os.Hostname()
	if err != nil {
		return exit{exitError, fmt.Errorf("find this host's name: %w", err)}
	}
	m := &measurement{app: a, settings: settings, picture: status.Snapshot{
		Started: a.clock(), Host: host, Version: version.Version, Settings: statusSettings(settings.Latency),
	}}
	m.pool = worker.NewPool(workerOptions(a.clock, zap.NewNop()))
	defer m.pool.Close()
	m.client = tasks.NewClient(m.pool, sources(settings.Discovery))
	m.client.Grace = checkGrace
	layouts, err := readLayouts(ctx, m.client, settings.BaselinesFile)
	if err != nil {
		return exit{exitConfig, err}
	}
	m.judge = status.NewJudge(layouts)
	if err := m.run(ctx, flags); err != nil {
		return exit{exitError, err}
	}
	m.picture.Time = a.clock()
	return a.report(report.New(m.judge.Assess(m.picture), ctx.Err() != nil), flags.json)
}

// report prints the report and returns its exit code.
func (a app) report(r report.Report, asJSON bool) error {
	write := func(w io.Writer) error { return r.WriteText(w, a.style()) }
	if asJSON {
		write = r.WriteJSON
	}
	if err := write(a.stdout); err != nil {
		return exit{exitError, err}
	}
	if r.ExitCode != 0 {
		return exit{code: r.ExitCode}
	}
	return nil
}

// discover finds the targets: the given directories, or those of the configuration.
func discover(ctx context.Context, client *tasks.Client, c config.Discovery) (topology.Topology, error) {
	if c.ColumnstoreXML == "" {
		found := topology.Topology{}
		for _, d := range c.Extra {
			found.Targets = append(found.Targets, topology.Planned{
				Target: topology.Target{Kind: topology.KindExtra, Directory: d.Path}, Reason: "given on the command line",
			})
		}
		return found, nil
	}
	found, err := client.Discover(ctx)
	if err == nil && len(found.Targets) == 0 {
		err = errors.New("there is no directory to measure: name one on the command line, or set COLUMNSTORE_EXPORTER_DBROOTS")
	}
	return found, err
}
