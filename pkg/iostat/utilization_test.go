package iostat_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/iostat"
)

func TestUtilization(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t)
		m.diskstats("sda 0 0 0 0 0 0 0 0 0 1000 0")
		fs := m.fs()
		time.AfterFunc(4*time.Second, func() { m.diskstats("sda 0 0 0 0 0 0 0 0 0 4000 0") })
		began := time.Now()
		got, err := fs.Utilization(t.Context(), "sda", 5*time.Second)
		if got != 0.6 || err != nil || time.Since(began) != 5*time.Second {
			t.Errorf("Utilization() = %v, %v after %v, want 0.6 after 5s", got, err, time.Since(began))
		}
	})
}

func TestUtilizationEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t)
		m.diskstats("sda 0 0 0 0 0 0 0 0 0 1000 0")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := m.fs().Utilization(ctx, "sda", time.Hour); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Utilization() = %v, want %v", err, context.DeadlineExceeded)
		}
	})
}

func TestUtilizationOfNothing(t *testing.T) {
	if _, err := newMachine(t).fs().Utilization(t.Context(), "sda", time.Hour); !errors.Is(err, iostat.ErrAbsent) {
		t.Errorf("Utilization() = %v, want %v", err, iostat.ErrAbsent)
	}
}
