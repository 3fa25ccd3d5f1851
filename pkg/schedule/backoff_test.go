package schedule_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/schedule"
)

func TestBackoff(t *testing.T) {
	const s = time.Second
	for _, test := range []struct {
		name   string
		worked []time.Duration
		want   []time.Duration
	}{
		{"doubles to a minute", []time.Duration{0, 0, 0, 0, 0, 0, 0, 0}, []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 60 * s, 60 * s}},
		{"forgets after a minute of health", []time.Duration{0, 59 * s, 60 * s, 0}, []time.Duration{s, 2 * s, s, 2 * s}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b schedule.Backoff
			var got []time.Duration
			for _, worked := range test.worked {
				got = append(got, b.Fail(worked))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("delays (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBackoffReset(t *testing.T) {
	var b schedule.Backoff
	b.Fail(0)
	b.Reset()
	if got := b.Fail(0); got != time.Second {
		t.Errorf("first delay after a reset %s, want 1s", got)
	}
}
