package cptest_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cptest"
)

func TestColumns(t *testing.T) {
	columns := cptest.Columns()
	if len(columns) != 250 {
		t.Fatalf("%d columns", len(columns))
	}
	got := []cptest.Column{columns[0], columns[1], columns[124], columns[125], columns[249]}
	want := []cptest.Column{
		{"group_name", "char(2)", "latin1"},
		{"number1", "decimal(12,2)", ""},
		{"number124", "decimal(12,2)", ""},
		{"col126", "varchar(126)", "latin1"},
		{"col250", "varchar(250)", "latin1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

func TestCreateTable(t *testing.T) {
	statement := cptest.CreateTable("`d`.`t`", "ColumnStore")
	for _, want := range []string{
		"CREATE TABLE `d`.`t` (`group_name` char(2), `number1` decimal(12,2), ", ", `col250` varchar(250)) ENGINE=ColumnStore ",
		"CHARSET=latin1", "COMMENT='" + cptest.Comment + "'",
	} {
		if !strings.Contains(statement, want) {
			t.Errorf("%q is not in %s", want, statement)
		}
	}
	// ColumnStore takes orders from comments.
	if orders := regexp.MustCompile(`autoincrement|compression|schema sync`); orders.MatchString(cptest.Comment) {
		t.Errorf("the comment %q is an order to ColumnStore", cptest.Comment)
	}
}

func TestCompareNamesTheFirstDifference(t *testing.T) {
	if err := cptest.Compare(cptest.Columns()); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func([]cptest.Column) []cptest.Column{
		"column 8 is number7 decimal(14,2), want number7 decimal(12,2)": func(c []cptest.Column) []cptest.Column { c[7].Type = "decimal(14,2)"; return c },
		"column 250 is col250 varchar(250) utf8mb4, want col250 varchar(250) latin1": func(c []cptest.Column) []cptest.Column {
			c[249].Charset = "utf8mb4"
			return c
		},
		"249 columns, want 250":                                             func(c []cptest.Column) []cptest.Column { return c[:249] },
		"column 251 is more int, want 250 columns only":                     func(c []cptest.Column) []cptest.Column { return append(c, cptest.Column{Name: "more", Type: "int"}) },
		"column 1 is number1 decimal(12,2), want group_name char(2) latin1": func(c []cptest.Column) []cptest.Column { return slices.Delete(c, 0, 1) },
	} {
		if err := cptest.Compare(change(cptest.Columns())); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
