//go:build linux

package worker

import (
	"context"
	"os"
)

// Serve is what a worker process runs.
func Serve(ctx context.Context, in, out *os.File, handlers map[string]Handler) error { return nil }
