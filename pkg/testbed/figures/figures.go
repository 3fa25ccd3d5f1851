//go:build linux

// Package figures prints what a benchmark found as a section of a document, and writes it there when that is asked for.
package figures

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/prometheus/procfs"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// Document is the environment variable that names the document. Without it a section is printed only.
const Document = "PERFORMANCE_DOCUMENT"

// Section is what one command found: words and tables, under a heading that says when, where and how they came about.
type Section struct {
	tb    testing.TB
	title string
	text  strings.Builder
}

// New begins a section. Command is how to get it again.
func New(tb testing.TB, title, command string) *Section {
	tb.Helper()
	s := &Section{tb: tb, title: title}
	s.Say("%s; commit %s; %s, %s; load before: %s. Again by `%s`.", time.Now().UTC().Format("2006-01-02 15:04 UTC"),
		testbed.Commit(tb), testbed.Machine(tb), runtime.Version(), load(tb), command)
	return s
}

// Say adds a paragraph, which the document breaks into lines.
func (s *Section) Say(format string, a ...any) {
	fmt.Fprintf(&s.text, "\n%s\n", wrap(fmt.Sprintf(format, a...)))
}

// Image adds a picture that lies beside the document.
func (s *Section) Image(name, alternative string) {
	fmt.Fprintf(&s.text, "\n![%s](%s)\n", alternative, name)
}

// Table adds a table; the first column is words, the others are numbers.
func (s *Section) Table(header []string, rows [][]string) {
	widths := make([]int, len(header))
	for _, row := range append([][]string{header}, rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 2)
		}
	}
	s.text.WriteString("\n")
	s.row(header, widths)
	for i, w := range widths {
		if i == 0 {
			fmt.Fprintf(&s.text, "|%s", strings.Repeat("-", w+2))
		} else {
			fmt.Fprintf(&s.text, "|%s:", strings.Repeat("-", w+1))
		}
	}
	s.text.WriteString("|\n")
	for _, row := range rows {
		s.row(row, widths)
	}
}

func (s *Section) row(cells []string, widths []int) {
	for i, cell := range cells {
		space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i == 0 {
			fmt.Fprintf(&s.text, "| %s%s ", cell, space)
		} else {
			fmt.Fprintf(&s.text, "| %s%s ", space, cell)
		}
	}
	s.text.WriteString("|\n")
}

// Publish prints the section, and puts it into the document in the place of the one with its title.
func (s *Section) Publish() {
	s.tb.Helper()
	text := "## " + s.title + "\n" + s.text.String()
	fmt.Printf("\n%s\n", text)
	path := os.Getenv(Document)
	if path == "" {
		return
	}
	before, err := os.ReadFile(path)
	if err != nil {
		s.tb.Fatalf("the document of figures: %v", err)
	}
	if err := os.WriteFile(path, []byte(Replace(string(before), s.title, text)), 0o600); err != nil {
		s.tb.Fatal(err)
	}
}

// Replace returns the document with the section of that title replaced, or added at its end.
func Replace(document, title, section string) string {
	var out strings.Builder
	replacing, done := false, false
	for line := range strings.Lines(document) {
		if strings.HasPrefix(line, "## ") {
			if replacing {
				out.WriteString("\n")
			}
			replacing = strings.TrimSpace(line[3:]) == title
			if replacing {
				out.WriteString(section)
				done = true
			}
		}
		if !replacing {
			out.WriteString(line)
		}
	}
	if !done {
		return strings.TrimRight(document, "\n") + "\n\n" + section
	}
	return out.String()
}

// wrap breaks a paragraph into lines of 120 characters.
func wrap(text string) string {
	var out strings.Builder
	length := 0
	for word := range strings.FieldsSeq(text) {
		switch size := utf8.RuneCountInString(word); {
		case length == 0:
			length = size
		case length+1+size > 120:
			out.WriteString("\n")
			length = size
		default:
			out.WriteString(" ")
			length += 1 + size
		}
		out.WriteString(word)
	}
	return out.String()
}

func load(tb testing.TB) string {
	tb.Helper()
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		tb.Fatal(err)
	}
	load, err := fs.LoadAvg()
	if err != nil {
		tb.Fatal(err)
	}
	return fmt.Sprintf("%.1f", load.Load1)
}
