//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/columnstore/columnstore_exporter/pkg/config"
)

// Exit codes besides 0, and those that a report of check has.
const (
	exitError  = 1
	exitUsage  = 64 // EX_USAGE of sysexits.h
	exitConfig = 78 // EX_CONFIG of sysexits.h
)

// exit is an error that carries an exit code. An empty one has said all it has to say.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e exit) Unwrap() error { return e.err }

// app is what the commands share.
type app struct {
	environ        []string
	stdout, stderr io.Writer
	// clock tells the wall clock's time.
	clock func() time.Time
}

// run runs the command that args name and returns the exit code.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	return app{environ: environ, stdout: stdout, stderr: stderr, clock: time.Now}.run(ctx, args)
}

func (a app) run(ctx context.Context, args []string) int {
	root := a.root() //nolint:contextcheck // cobra hands each command the context of ExecuteContext
	root.SetArgs(args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	var e exit
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &e):
		e = exit{exitUsage, err} // what cobra finds wrong is always the usage
	}
	if text := e.Error(); text != "" {
		_, _ = fmt.Fprintln(a.stderr, "columnstore_exporter:", text)
	}
	return e.code
}

func (a app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "columnstore_exporter",
		Short: "Watches the storage under MariaDB ColumnStore as cpimport feels it",
		Long: "columnstore_exporter probes every DBroot and bulkRollback directory as ioping does and publishes the latencies\n" +
			"to Prometheus. Without a command it is the daemon. Settings come from the environment: columnstore_exporter config.",
		Args:          cobra.NoArgs,
		RunE:          a.runServe,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(a.serveCommand(), a.checkCommand(), a.targetsCommand(), a.configCommand(), a.healthcheckCommand(),
		a.versionCommand(), a.workerCommand())
	return root
}

// settings are those of the environment, see load.
func (a app) settings() (config.Settings, error) {
	validated, err := a.load()
	if err != nil {
		return config.Settings{}, err
	}
	return validated.Settings(), nil
}

// load reads the environment. What is wrong with it is an error; what is odd is written to stderr.
func (a app) load() (config.Validated, error) {
	validated, warnings, err := config.Load(a.environ)
	for _, w := range warnings {
		_, _ = fmt.Fprintln(a.stderr, "columnstore_exporter: warning:", w)
	}
	if err != nil {
		return validated, exit{exitConfig, err}
	}
	return validated, nil
}
