package human_test

import (
	"math"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/human"
)

func TestSeconds(t *testing.T) {
	for _, test := range []struct {
		in   float64
		want string
	}{
		{0, "0 s"},
		{450e-6, "450 µs"},
		{452.26e-6, "452 µs"},
		{3.3e-3, "3.3 ms"},
		{3.4333e-3, "3.43 ms"},
		{999.6e-6, "1 ms"},
		{0.9999, "1 s"},
		{5.512, "5.51 s"},
		{30.5, "30.5 s"},
		{3600.4, "3600 s"},
		{2e-9, "2 ns"},
		{-1.5e-3, "-1.5 ms"},
		{math.NaN(), "–"},
		{math.Inf(1), "–"},
	} {
		if got := human.Seconds(test.in); got != test.want {
			t.Errorf("Seconds(%v) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestBytesPerSecond(t *testing.T) {
	for in, want := range map[float64]string{0: "0 B/s", 20e6: "20 MB/s", 181.77e6: "182 MB/s", 999.9e6: "1 GB/s", 1.5e9: "1.5 GB/s"} {
		if got := human.BytesPerSecond(in); got != want {
			t.Errorf("BytesPerSecond(%v) = %q, want %q", in, got, want)
		}
	}
}

func TestRatio(t *testing.T) {
	for in, want := range map[float64]string{0: "0", 0.4391: "0.44", 5.66: "5.7", 1: "1", 119.6: "120", math.Inf(1): "–"} {
		if got := human.Ratio(in); got != want {
			t.Errorf("Ratio(%v) = %q, want %q", in, got, want)
		}
	}
}

func TestEvery(t *testing.T) {
	for in, want := range map[float64]string{0.5: "500 ms", 1: "1 s", 60: "1 min", 90: "90 s", 300: "5 min", 21600: "6 h", 86400: "24 h"} {
		if got := human.Every(in); got != want {
			t.Errorf("Every(%v) = %q, want %q", in, got, want)
		}
	}
}

func TestBytes(t *testing.T) {
	for in, want := range map[int64]string{0: "0 B", 4096: "4 KiB", 1 << 20: "1 MiB", -1: "–"} {
		if got := human.Bytes(in); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", in, got, want)
		}
	}
}

func TestPath(t *testing.T) {
	for path, want := range map[string]string{
		"/var/lib/columnstore/data1": "/var/lib/columnstore/data1",
		"/données/à côté \"x\"":      "/données/à côté \"x\"",
		"/a\nb\tc":                   `"/a\nb\tc"`,
		"/a\x1b[31m":                 `"/a\x1b[31m"`,
		"/a\xff":                     `"/a\xff"`,
		"/a\u202eb":                  `"/a\u202eb"`,
	} {
		if got := human.Path(path); got != want {
			t.Errorf("%q is written %s, want %s", path, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		`open "/a": no such file`:  `open "/a": no such file`,
		"open /a\nb\x1b[31m: it's": `open /a\nb\x1b[31m: it's`,
		"à\tb":                     `à\tb`,
	} {
		if got := human.Line(text); got != want {
			t.Errorf("%q is written %s, want %s", text, got, want)
		}
	}
}
