package mariadb_test

import (
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/mariadb"
)

func TestQuote(t *testing.T) {
	for name, want := range map[string][2]string{
		"cptest":   {"`cptest`", "`cptest`"},
		"a`b":      {"`a``b`", "`a``b`"},
		"a_b%c":    {"`a_b%c`", "`a\\_b\\%c`"},
		"a 'b' \"": {"`a 'b' \"`", "`a 'b' \"`"},
	} {
		if got := mariadb.Quote(name); got != want[0] {
			t.Errorf("%q is quoted as %s, want %s", name, got, want[0])
		}
		if got := mariadb.QuotePattern(name); got != want[1] {
			t.Errorf("%q is quoted in GRANT as %s, want %s", name, got, want[1])
		}
	}
}
