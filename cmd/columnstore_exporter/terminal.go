//go:build linux

package main

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/columnstore/columnstore_exporter/pkg/report"
)

// style is how text looks on stdout: plain but on a terminal. There NO_COLOR (no-color.org) and a terminal that knows
// nothing of colours keep it colourless.
func (a app) style() report.Style {
	f, ok := terminal(a.stdout)
	if !ok {
		return report.Style{}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	kind := a.getenv("TERM")
	return report.Style{Colour: a.getenv("NO_COLOR") == "" && kind != "" && kind != "dumb", Width: width}
}

// terminal returns w as a file when it is a terminal.
func terminal(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// getenv is the value of a variable, empty when it is not set. As in a shell, the last of several counts.
func (a app) getenv(name string) string {
	value := ""
	for _, entry := range a.environ {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}
