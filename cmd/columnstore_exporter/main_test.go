package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
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

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/scripts",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits asserts a command's exit code, which testscript's exec does not tell: exits CODE COMMAND [ARG...].
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if err != nil || neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		code = e.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}
