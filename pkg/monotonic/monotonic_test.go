//go:build linux

package monotonic_test

import (
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/monotonic"
)

func TestClockAndNowTellTheSameTime(t *testing.T) {
	clock := monotonic.NewClock()
	before := monotonic.Now()
	got := clock.Now()
	after := monotonic.Now()
	// The two readings of NewClock are some time apart, on a busy machine up to a time slice.
	const apart = int64(1e9)
	if got < before-apart || got > after+apart {
		t.Errorf("the clock tells %d between %d and %d", got, before, after)
	}
}
