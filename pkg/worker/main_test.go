package worker_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// TestMain is the tests, a worker process or a daemon, as the first argument says: the processes under test are this
// binary, executed again.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case "child":
		if err := worker.Serve(context.Background(), os.Stdin, os.Stdout, handlers()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "daemon":
		os.Exit(daemon(os.Args[2]))
	case "raw":
		os.Exit(raw(os.Args[2]))
	default:
		goleak.VerifyTestMain(m)
	}
}
