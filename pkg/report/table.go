//go:build linux

package report

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// gap is between two columns.
const gap = "  "

// table is rows of cells in columns. Its layout has a letter for each column: l for text, which begins at the left edge, and
// r for figures, which end at the right edge, so that units stand below one another.
type table struct {
	layout string
	rows   [][]string
}

// add adds a row. A row may be shorter than the layout.
func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write writes the rows without blanks at their ends.
func (t *table) write(b *bytes.Buffer) {
	widths := make([]int, len(t.layout))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.layout[i] == 'r' {
				line.WriteString(pad + cell + gap)
			} else {
				line.WriteString(cell + pad + gap)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
