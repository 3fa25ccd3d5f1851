package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest"
)

// asExporter in the environment makes the test binary the exporter, so that tests run the real program, and the real
// program finds itself when it starts its workers.
const asExporter = "TEST_AS_COLUMNSTORE_EXPORTER"

func TestMain(m *testing.M) {
	cpimporttest.Main()
	// A worker's environment is empty: it is known by its first argument.
	if os.Getenv(asExporter) != "" || len(os.Args) > 1 && os.Args[1] == "worker" {
		main()
	}
	testscript.Main(m, map[string]func(){"columnstore_exporter": main})
}
