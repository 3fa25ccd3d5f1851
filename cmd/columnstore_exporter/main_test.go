package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
)

// asExporter in the environment makes the test binary the exporter, so that tests run the real program, and the real
// program finds itself when it starts its workers.
const asExporter = "TEST_AS_COLUMNSTORE_EXPORTER"

func TestMain(m *testing.M) {
	cpimporttest.Main()
	faultfs.Main()
	// A worker's environment is empty: it is known by its first argument.
	if os.Getenv(asExporter) != "" || len(os.Args) > 1 && os.Args[1] == "worker" {
		completeVersion()
		os.Exit(asApp().run(context.Background(), os.Args[1:]))
	}
	testscript.Main(m, map[string]func(){"columnstore_exporter": main})
}

// clockName is a file in the state directory that sets the exporter's wall clock off from the machine's: a duration.
const clockName = "clock"

// asApp is the exporter as the tests run it.
func asApp() app {
	file := filepath.Join(os.Getenv("COLUMNSTORE_EXPORTER_STATE_DIR"), clockName)
	return app{environ: os.Environ(), stdout: os.Stdout, stderr: os.Stderr, clock: func() time.Time {
		text, _ := os.ReadFile(file) // without one the clock is right
		off, _ := time.ParseDuration(string(text))
		return time.Now().Round(0).Add(off)
	}}
}
