//go:build linux && mariadb

package ingest_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/cptest"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
)

func TestSeedAndGrowth(t *testing.T) {
	b := newBed(t)
	b.o.Rows = 10_000
	var phases []string
	b.o.OnPhase = func(phase string) { phases = append(phases, phase) }
	r := b.runner(t)
	first := b.succeed(t, r)
	second := b.succeed(t, r)
	if rows := b.rows(t); rows != "30000" {
		t.Errorf("%s rows after a seed and two trials, want 30000", rows)
	}
	if first.TableRows != 20_000 || second.TableRows != 30_000 {
		t.Errorf("%d and %d rows told, want 20000 and 30000", first.TableRows, second.TableRows)
	}
	if first.Method != ingest.MethodLoadData || first.Rows != 10_000 || first.Bytes < 15e6 || !(first.Seconds > 0) || first.Steps != nil {
		t.Errorf("trial: %+v", *first)
	}
	want := strings.Fields("gate table seed verify import verify gate import verify")
	if diff := cmp.Diff(want, phases); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
}

func TestRecreation(t *testing.T) {
	b := newBed(t)
	b.o.MaxTableRows = 4 * few
	r := b.runner(t)
	for i, want := range []int64{2, 3, 4, 2, 3} { // the seed counts
		if trial := b.succeed(t, r); trial.TableRows != want*few {
			t.Fatalf("trial %d: %d rows in the table, want %d", i, trial.TableRows, want*few)
		}
	}
}

func TestWrongShape(t *testing.T) {
	b := newBed(t)
	b.succeed(t, b.runner(t))
	b.Exec(t, "SET GLOBAL innodb_strict_mode=0")
	for _, alter := range [][2]string{
		{"ALTER TABLE %s MODIFY number7 DECIMAL(14,2)", "ALTER TABLE %s MODIFY number7 DECIMAL(12,2)"},
		{"ALTER TABLE %s MODIFY col200 VARCHAR(200) CHARACTER SET utf8mb4", "ALTER TABLE %s MODIFY col200 VARCHAR(200) CHARACTER SET latin1"},
		{"ALTER TABLE %s ADD more INT", "ALTER TABLE %s DROP more"},
		{"ALTER TABLE %s ENGINE=Aria", "ALTER TABLE %s ENGINE=InnoDB"},
		{"ALTER TABLE %s RENAME COLUMN number1 TO one", "ALTER TABLE %s RENAME COLUMN one TO number1"},
	} {
		before := b.rows(t)
		b.Exec(t, strings.ReplaceAll(alter[0], "%s", table))
		b.skip(t, outcome.SkipTableShape)
		if after := b.rows(t); after != before {
			t.Errorf("%s: %s rows, %s before", alter[0], after, before)
		}
		b.Exec(t, strings.ReplaceAll(alter[1], "%s", table))
	}
	b.succeed(t, b.runner(t))
}

func TestForeignTable(t *testing.T) {
	b := newBed(t)
	b.Exec(t, "CREATE DATABASE columnstore_exporter", "SET GLOBAL innodb_strict_mode=0")
	b.Exec(t, strings.ReplaceAll(cptest.CreateTable(table, "InnoDB"), cptest.Comment, "our crown jewels"))
	b.Exec(t, "INSERT INTO "+table+" (group_name) VALUES ('1'), ('2')")
	b.o.MaxTableRows = 1 // it would be dropped
	if skip := b.skip(t, outcome.SkipTableShape); !strings.Contains(skip.Detail, "somebody else's") {
		t.Errorf("detail %q", skip.Detail)
	}
	if rows := b.rows(t); rows != "2" {
		t.Errorf("%s rows, want the 2 of before", rows)
	}
}

func TestView(t *testing.T) {
	b := newBed(t)
	b.Exec(t, "CREATE DATABASE columnstore_exporter", "CREATE VIEW "+table+" AS SELECT 1")
	b.skip(t, outcome.SkipTableShape)
}

func TestNames(t *testing.T) {
	b := newBed(t)
	for _, name := range []string{"back`tick", "a space", `a "quote"`, "it's", "semi;colon", "per%cent", "--", "ünïcödé"} {
		b.o.Database, b.o.Table = "trials "+name, "table "+name
		b.Exec(t, ingest.Grants(account, b.o.Database)...)
		if trial := b.succeed(t, b.runner(t)); trial.TableRows != 2*few {
			t.Errorf("%s: %d rows", name, trial.TableRows)
		}
		b.Exec(t, "DROP DATABASE `"+strings.ReplaceAll(b.o.Database, "`", "``")+"`")
	}
	for _, name := range []string{"", "a/b", `a\b`, "a.b", " a", "a ", "a\x00b", "a\nb", "\xff", strings.Repeat("x", 65), "😀"} {
		o := b.o
		o.Table = name
		if _, err := ingest.New(o); err == nil || !strings.Contains(err.Error(), "table") {
			t.Errorf("%q: error %v, want one about the table", name, err)
		}
	}
}

func TestEachGrantIsNeeded(t *testing.T) {
	b := newBed(t)
	b.o.MaxTableRows = 1 // every trial drops, creates, inserts and counts
	b.succeed(t, b.runner(t))
	for _, grant := range ingest.Grants(account, b.o.Database) {
		privileges, scope, _ := strings.Cut(strings.TrimPrefix(grant, "GRANT "), " ON ")
		scope = strings.TrimSuffix(scope, " TO "+account)
		for privilege := range strings.SplitSeq(privileges, ", ") {
			b.Exec(t, "REVOKE "+privilege+" ON "+scope+" FROM "+account)
			trial, skip := b.trial(t)
			if skip == nil && trial.Failure == "" {
				t.Errorf("without %s a trial succeeds", privilege)
			}
			b.Exec(t, grant)
			b.succeed(t, b.runner(t))
		}
	}
}

// sessions returns how many connections of the exporter's user there are.
func (b *bed) sessions(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(b.Value(t, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = ?", user))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
