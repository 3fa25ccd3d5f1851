//go:build linux

package ingest_test

import (
	"os"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest"
)

// TestMain is also the stand-in for cpimport.
func TestMain(m *testing.M) {
	cpimporttest.Main()
	os.Exit(m.Run())
}
