//go:build linux

package latency

import "github.com/columnstore/columnstore_exporter/pkg/monotonic"

// Now returns the time on CLOCK_MONOTONIC.
func Now() Instant { return Instant(monotonic.Now()) }
