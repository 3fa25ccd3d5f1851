//go:build linux

package report

import (
	"strings"
	"unicode/utf8"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/human"
)

// Style is how the text is to look.
type Style struct {
	// Colour writes verdicts in colour and headings in bold, by the escape sequences of ECMA-48.
	Colour bool
	// Width is the number of columns at which sentences are broken; 0 leaves each on one line.
	Width int
}

// Parameters of Select Graphic Rendition. The reader's terminal chooses the shades.
const (
	bold   = "1"
	red    = "1;31"
	green  = "32"
	yellow = "33"
)

func (s Style) paint(sgr, text string) string {
	if !s.Colour || sgr == "" || text == "" {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

func (s Style) heading(text string) string { return s.paint(bold, "--- "+text+" ---") + "\n" }

func (s Style) word(w baseline.Word) string { return s.paint(colourOf(w), string(w)) }

func colourOf(w baseline.Word) string {
	switch w {
	case baseline.Hung, baseline.Failing:
		return red
	case baseline.Slow, baseline.Unproven, baseline.Uneven, baseline.Narrow:
		return yellow
	case baseline.Fast:
		return green
	case baseline.Absent, baseline.Waiting:
		return ""
	}
	return ""
}

// verdict writes the word and its sentence.
func (s Style) verdict(v baseline.Verdict) string {
	return s.marked(colourOf(v.Word), string(v.Word), ": "+v.Sentence)
}

// marked writes a line of text, broken to the width, with a head in colour.
func (s Style) marked(sgr, head, rest string) string {
	line := s.wrap(human.Line(head + rest))
	if after, whole := strings.CutPrefix(line, head); whole {
		line = s.paint(sgr, head) + after
	}
	return line + "\n"
}

// wrap breaks a text between words so that no line is wider than Width, unless a word is.
func (s Style) wrap(text string) string {
	if s.Width <= 0 {
		return text
	}
	var b strings.Builder
	column := 0
	for i, word := range strings.Split(text, " ") { // two blanks stay: they may be part of a path
		length := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+length > s.Width:
			b.WriteString("\n")
			column = 0
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += length
	}
	return b.String()
}
