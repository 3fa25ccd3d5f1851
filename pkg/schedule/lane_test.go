package schedule_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/schedule"
)

func TestLaneHasOneHolder(t *testing.T) {
	lane := schedule.NewLane()
	wantHolder(t, lane, "")
	release, ok := lane.TryAcquire("ingest")
	if !ok {
		t.Fatal("free lane was refused")
	}
	wantHolder(t, lane, "ingest")
	if _, ok := lane.TryAcquire("throughput"); ok {
		t.Error("lane was given twice")
	}
	release()
	wantHolder(t, lane, "")

	if _, ok := lane.TryAcquire("throughput"); !ok {
		t.Fatal("released lane was refused")
	}
	release() // the holder before has nothing to release any more
	wantHolder(t, lane, "throughput")
}

func TestAcquireWaitsForTheHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lane := schedule.NewLane()
		release, _ := lane.TryAcquire("ingest")
		time.AfterFunc(time.Minute, release)
		begun := time.Now()

		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := lane.Acquire(impatient, "throughput"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want context.DeadlineExceeded", err)
		}
		wantHolder(t, lane, "ingest")

		release, err := lane.Acquire(t.Context(), "throughput")
		if err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begun); waited != time.Minute {
			t.Errorf("waited %s, want 1m", waited)
		}
		wantHolder(t, lane, "throughput")
		release()
	})
}

// wantHolder checks who holds the lane; empty for nobody.
func wantHolder(t *testing.T, lane *schedule.Lane, want string) {
	t.Helper()
	got, busy := lane.Busy()
	if got != want || busy != (want != "") {
		t.Errorf("lane busy %t, held by %q, want %q", busy, got, want)
	}
}
