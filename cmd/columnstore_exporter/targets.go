//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/config"
	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/survey"
	"github.com/columnstore/columnstore_exporter/pkg/tasks"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

func (a app) targetsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "targets",
		Short: "Print which directories would be probed, and why",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := a.settings()
			if err != nil {
				return err
			}
			return a.targets(cmd.Context(), settings, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// targets prints what discovery finds. A part that is wrong is told on stderr and does not hide the rest.
func (a app) targets(ctx context.Context, settings config.Settings, asJSON bool) error {
	pool := worker.NewPool(workerOptions(a.clock, zap.NewNop()))
	defer pool.Close()
	probes := tasks.NewClient(pool, sources(settings.Discovery))
	found, trouble := probes.Discover(ctx)
	view := newTargetsView(found, survey.Inspect(ctx, probes, found.Targets))
	write := a.writeTargets
	if asJSON {
		write = a.writeTargetsJSON
	}
	if err := write(view); err != nil {
		return exit{exitError, err}
	}
	if trouble != nil {
		return exit{exitError, trouble}
	}
	return nil
}

// targetsView is the JSON form.
type targetsView struct {
	Module  string             `json:"module"`
	Targets []targetView       `json:"targets"`
	Ignored []topology.Ignored `json:"ignored"`
	Notes   []string           `json:"notes,omitempty"`
}

type targetView struct {
	topology.Target
	topology.Facts
	// Reason is why the directory is a target; it stands before the reason of Facts, which Facts.Error tells in words.
	Reason string `json:"reason"`
}

func newTargetsView(found topology.Topology, directories []survey.Directory) targetsView {
	v := targetsView{Module: found.Module, Targets: []targetView{}, Ignored: found.Ignored, Notes: found.Notes}
	if v.Ignored == nil {
		v.Ignored = []topology.Ignored{}
	}
	for _, d := range directories {
		v.Targets = append(v.Targets, targetView{Target: d.Target, Facts: d.Facts, Reason: d.Reason})
	}
	return v
}

func (a app) writeTargetsJSON(v targetsView) error {
	e := json.NewEncoder(a.stdout)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write the targets: %w", err)
	}
	return nil
}

func (a app) writeTargets(v targetsView) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	if v.Module != "" {
		fmt.Fprintf(w, "module %s\n\n", v.Module)
	}
	fmt.Fprintln(w, "DBROOT\tKIND\tNAME\tDIRECTORY\tSTATE\tFSTYPE\tSOURCE\tWHY")
	for _, t := range v.Targets {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", dash(t.DBRoot), t.Kind, dash(t.Name), human.Path(t.Directory), t.State, dash(t.FSType), dash(t.Source), human.Line(t.Reason))
		if t.Error != "" {
			fmt.Fprintf(w, "\t\t\t! %s\n", human.Line(t.Error))
		}
	}
	for _, i := range v.Ignored {
		fmt.Fprintf(w, "not probed: %s = %q: %s\n", i.Element, i.Value, human.Line(i.Reason))
	}
	for _, note := range v.Notes {
		fmt.Fprintf(w, "note: %s\n", human.Line(note))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write the targets: %w", err)
	}
	return nil
}

// dash keeps a column in its place, and a cell on its line.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return human.Path(s)
}
