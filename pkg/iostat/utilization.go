//go:build linux

package iostat

import (
	"context"
	"fmt"
	"time"
)

// Utilization watches a block device for the given time and returns its %util as a share from 0 to 1. Errors are those of
// Begin and End, and the context's own.
func (f FS) Utilization(ctx context.Context, device string, window time.Duration) (float64, error) {
	w, err := f.Begin(Source{Device: device})
	if err != nil {
		return 0, err
	}
	select {
	case <-ctx.Done():
		return 0, fmt.Errorf("watch device %s: %w", device, context.Cause(ctx))
	case <-time.After(window):
	}
	stats, err := w.End()
	if err != nil {
		return 0, err
	}
	return stats.Device.Utilization, nil
}
