package schedule_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/schedule"
)

func TestPhaseStaysTheSame(t *testing.T) {
	// The values of FNV-1a, 64 bits, over host, a zero byte and key, modulo the interval in nanoseconds.
	for _, test := range []struct {
		host, key string
		interval  time.Duration
		want      time.Duration
	}{
		{"pm1", "1 dbroot /var/lib/columnstore/data1", time.Minute, 50552287338},
		{"pm2", "1 dbroot /var/lib/columnstore/data1", time.Minute, 35704647323},
		{"ab", "c", time.Hour, 2037221804135},
		{"a", "bc", time.Hour, 17423684899},
		{"", "", time.Second, 695167455},
		{"pm1", "x", 0, 0},
		{"pm1", "x", -time.Second, 0},
	} {
		if got := schedule.Phase(test.host, test.key, test.interval); got != test.want {
			t.Errorf("Phase(%q, %q, %s) = %d, want %d", test.host, test.key, test.interval, got, test.want)
		}
	}
}

func TestPhasesSpreadOverTheInterval(t *testing.T) {
	const hosts, targets, parts = 100, 10, 10
	var count [parts]int
	for host := range hosts {
		for target := range targets {
			phase := schedule.Phase(fmt.Sprint("pm", host), fmt.Sprint("/data", target), time.Minute)
			if phase < 0 || phase >= time.Minute {
				t.Fatalf("phase %s is not in the interval", phase)
			}
			count[phase*parts/time.Minute]++
		}
	}
	for part, n := range count {
		// 100 are expected, 10 is the standard deviation.
		if n < 50 || n > 150 {
			t.Errorf("part %d of %d has %d of %d phases", part, parts, n, hosts*targets)
		}
	}
}
