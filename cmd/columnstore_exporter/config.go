//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/columnstore/columnstore_exporter/pkg/config"
	"github.com/columnstore/columnstore_exporter/pkg/web"
)

func (a app) configCommand() *cobra.Command {
	var markdown, check bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print the effective settings, secrets masked",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if markdown {
				return printed(config.WriteMarkdown(a.stdout))
			}
			validated, err := a.load()
			if err != nil {
				return err
			}
			if check {
				return checkFiles(validated.Settings())
			}
			return printed(config.WriteEffective(a.stdout, validated))
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the reference of all variables as a Markdown table")
	cmd.Flags().BoolVar(&check, "check", false, "print nothing but errors and warnings, those about the files that are named included")
	cmd.MarkFlagsMutuallyExclusive("markdown", "check")
	return cmd
}

// printed makes of what kept a command from printing an error of the right kind.
func printed(err error) error {
	if err == nil {
		return nil
	}
	return exit{exitError, err}
}

// checkFiles looks at the files that the settings name and that the daemon itself reads.
func checkFiles(s config.Settings) error {
	wrong := []error{checkWeb(s.Web), checkStateDir(s.StateDir)}
	if s.Ingest.Configured() {
		_, err := s.Ingest.ReadDSN()
		wrong = append(wrong, err)
	}
	if err := errors.Join(wrong...); err != nil {
		return exit{exitConfig, err}
	}
	return nil
}

func checkWeb(w config.Web) error {
	if err := web.CheckConfig(w.ConfigFile); err != nil {
		return fmt.Errorf("COLUMNSTORE_EXPORTER_WEB_CONFIG_FILE: %w", err)
	}
	return nil
}

// checkStateDir looks for what cannot be the directory. Where there is none yet, the first trial makes it.
func checkStateDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("COLUMNSTORE_EXPORTER_STATE_DIR: %w", err)
	case !info.IsDir():
		return fmt.Errorf("COLUMNSTORE_EXPORTER_STATE_DIR: %s is not a directory", dir)
	}
	return nil
}
