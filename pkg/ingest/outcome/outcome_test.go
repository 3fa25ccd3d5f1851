package outcome_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
)

func TestTheSetsAreTheContracts(t *testing.T) {
	const (
		failures = "sql exec rejected row_count timeout locked read_only not_ready table_shape csv permission killed other"
		skips    = "sql not_ready read_only suspended not_primary locked other_import disk_space in_flight leftover table_shape csv"
	)
	if got := strings.Trim(fmt.Sprint(outcome.Failures()), "[]"); got != failures {
		t.Errorf("failures %s, want %s", got, failures)
	}
	if got := strings.Trim(fmt.Sprint(outcome.Skips()), "[]"); got != skips {
		t.Errorf("skips %s, want %s", got, skips)
	}
}
