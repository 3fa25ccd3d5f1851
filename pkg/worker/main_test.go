package worker_test

import (
	"context"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// TestMain is the tests, a worker process or a daemon, as the first argument says: the processes under test are this
// binary, executed again.
func TestMain(m *testing.M) {
	role := append(os.Args, "")[1]
	var err error
	switch role {
	case "child":
		err = worker.Serve(context.Background(), os.Stdin, os.Stdout, handlers())
	case "deaf child": // stays when the daemon has gone
		err = worker.Serve(context.Background(), os.Stdin, os.Stdout, handlers())
		time.Sleep(time.Hour)
	case "daemon":
		err = daemon(context.Background(), os.Args[2], os.Args[3])
	case "raw":
		err = raw(os.Args[2])
	default:
		goleak.VerifyTestMain(m)
	}
	if err != nil {
		panic(err)
	}
}
