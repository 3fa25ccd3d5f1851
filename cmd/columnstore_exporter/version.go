//go:build linux

package main

import (
	"fmt"
	"runtime/debug"

	"github.com/prometheus/common/version"
	"github.com/spf13/cobra"
)

func (a app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if _, err := fmt.Fprintln(a.stdout, version.Print("columnstore_exporter")); err != nil {
				return exit{exitError, err}
			}
			return nil
		},
	}
}

// completeVersion fills in what the linker was not told, from what the Go toolchain knows of the build.
func completeVersion() {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	if version.Version == "" {
		version.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && version.Revision == "" {
			version.Revision = s.Value
		}
	}
}
