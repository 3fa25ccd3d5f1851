//go:build linux

package ingest_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest"
)

// TestMain is also the stand-in for cpimport.
func TestMain(m *testing.M) {
	cpimporttest.Main()
	goleak.VerifyTestMain(m)
}
