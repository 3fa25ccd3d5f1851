// Package cptest is the table of the published import test and the rows that go into it: 250 columns, of which 125 are
// kept in dictionaries.
package cptest

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	// Charset is that of the table. It decides which columns get a dictionary, hence how many files an import touches.
	Charset = "latin1"
	// Comment is the comment of the table by which the exporter knows its own.
	Comment = "made by columnstore_exporter for its import trials"

	numbers  = 124
	firstCol = 126
	lastCol  = 250
)

// Column is a column as information_schema.COLUMNS shows it.
type Column struct {
	Name string
	// Type is COLUMN_TYPE, Charset is CHARACTER_SET_NAME, empty for a number.
	Type, Charset string
}

// Columns returns the columns in order: group_name, number1 to number124, col126 to col250.
func Columns() []Column {
	columns := make([]Column, 0, 1+numbers+lastCol-firstCol+1)
	columns = append(columns, Column{Name: "group_name", Type: "char(2)", Charset: Charset})
	for i := 1; i <= numbers; i++ {
		columns = append(columns, Column{Name: "number" + strconv.Itoa(i), Type: "decimal(12,2)"})
	}
	for i := firstCol; i <= lastCol; i++ {
		columns = append(columns, Column{Name: "col" + strconv.Itoa(i), Type: fmt.Sprintf("varchar(%d)", i), Charset: Charset})
	}
	return columns
}

// CreateTable returns the statement that makes the table of the given quoted name.
func CreateTable(quoted, engine string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "CREATE TABLE %s (", quoted)
	for i, c := range Columns() {
		if i > 0 {
			s.WriteString(", ")
		}
		fmt.Fprintf(&s, "`%s` %s", c.Name, c.Type)
	}
	fmt.Fprintf(&s, ") ENGINE=%s DEFAULT CHARSET=%s COMMENT='%s'", engine, Charset, Comment)
	return s.String()
}

// Compare tells in what a table's columns differ from those of Columns: the first difference, or nil.
func Compare(found []Column) error {
	want := Columns()
	for i, c := range found {
		if i >= len(want) {
			return fmt.Errorf("column %d is %s, want %d columns only", i+1, c, len(want))
		}
		if c != want[i] {
			return fmt.Errorf("column %d is %s, want %s", i+1, c, want[i])
		}
	}
	if len(found) < len(want) {
		return fmt.Errorf("%d columns, want %d", len(found), len(want))
	}
	return nil
}

// String returns the column as in a statement.
func (c Column) String() string {
	if c.Charset == "" {
		return fmt.Sprintf("%s %s", c.Name, c.Type)
	}
	return fmt.Sprintf("%s %s %s", c.Name, c.Type, c.Charset)
}
