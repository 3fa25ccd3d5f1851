//go:build linux

package main

import (
	"github.com/spf13/cobra"

	"github.com/columnstore/columnstore_exporter/pkg/config"
)

func (a app) configCommand() *cobra.Command {
	var markdown, check bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print the effective settings, secrets masked",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if markdown {
				return config.WriteMarkdown(a.stdout)
			}
			validated, err := a.load()
			if err != nil || check {
				return err
			}
			return config.WriteEffective(a.stdout, validated)
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the reference of all variables as a Markdown table")
	cmd.Flags().BoolVar(&check, "check", false, "print nothing but errors and warnings")
	cmd.MarkFlagsMutuallyExclusive("markdown", "check")
	return cmd
}
