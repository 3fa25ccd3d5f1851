//go:build linux

package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/columnstore/columnstore_exporter/pkg/tasks"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// workerCommand is what the daemon starts for each mount: it does the storage operations, so that a hang is its own.
func (a app) workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "worker [NAME]",
		Short:  "Do storage operations for the daemon (not for use by hand)",
		Hidden: true,
		Args:   cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := worker.Serve(cmd.Context(), os.Stdin, os.Stdout, tasks.Handlers()); err != nil {
				return exit{exitError, err}
			}
			return nil
		},
	}
}
