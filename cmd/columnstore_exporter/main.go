//go:build linux

// Command columnstore_exporter watches the storage under MariaDB ColumnStore and publishes to Prometheus what cpimport
// will feel of it. Run without a command it is the daemon; columnstore_exporter help lists the others.
package main

import (
	"context"
	"os"
)

func main() {
	completeVersion()
	os.Exit(run(context.Background(), os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
