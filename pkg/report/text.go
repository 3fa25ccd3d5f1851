//go:build linux

package report

import (
	"bytes"
	"fmt"
	"io"

	"github.com/columnstore/columnstore_exporter/pkg/human"
)

// page is the text form in the making.
type page struct {
	Report
	Style
	bytes.Buffer
}

// WriteText writes the form for people: what was measured part by part, and at the end, where a terminal shows it, the
// whole in a few tables with the verdict.
func (r Report) WriteText(w io.Writer, style Style) error {
	p := &page{Report: r, Style: style}
	for _, t := range r.Targets {
		p.directory(t)
	}
	for _, t := range r.Targets {
		p.throughput(t)
	}
	p.imports()
	p.node()
	if _, err := w.Write(p.Bytes()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// line writes one line of text, broken to the width.
func (p *page) line(format string, args ...any) {
	p.WriteString(p.marked("", "", fmt.Sprintf(format, args...)))
}

// node writes what follows from all parts.
func (p *page) node() {
	name := p.Host
	if p.Module != "" {
		name += " (" + p.Module + ")"
	}
	p.WriteString(p.heading(name))
	p.latencies()
	p.references()
	p.remarks()
	if p.Verdict != nil {
		p.WriteString(p.verdict(*p.Verdict))
	}
	if p.Interrupted {
		p.line("interrupted: these are the figures until then")
	}
}

// remarks writes what is odd about the configuration.
func (p *page) remarks() {
	if p.Discovery != "" {
		p.line("discovery: %s", p.Discovery)
	}
	for _, i := range p.Ignored {
		if i.Mistake {
			p.line("not measured: %s = %q: %s", i.Element, i.Value, i.Reason)
		}
	}
	for _, note := range p.Notes {
		p.line("note: %s", note)
	}
}

// seconds writes a latency or a time; one that is not there is a dash.
func seconds(s float64) string {
	if !(s > 0) {
		return human.None
	}
	return human.Seconds(s)
}
