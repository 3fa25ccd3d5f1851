//go:build linux

package main

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/survey"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// progress is a bar on a terminal, and nothing elsewhere.
type progress struct{ bar *progressbar.ProgressBar }

// newProgress counts the requests of all directories that are there.
func (a app) newProgress(directories []survey.Directory, spec latency.Spec) progress {
	total := 0
	for _, d := range directories {
		if d.Facts.State == topology.StatePresent {
			total += spec.Count + spec.Commits
		}
	}
	if total == 0 || !isTerminal(a.stderr) {
		return progress{}
	}
	return progress{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(a.stderr),
		progressbar.OptionSetDescription("measuring"),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
	)}
}

func (p progress) tick() {
	if p.bar != nil {
		_ = p.bar.Add(1)
	}
}

func (p progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) //nolint:gosec // a descriptor fits
}
