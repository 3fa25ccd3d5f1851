package config_test

import (
	"math"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/config"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]config.Size{
		"0": 0, "4096": 4096, "4096B": 4096, "4KiB": 4096, "4 KiB": 4096, "4Ki": 4096, "1MiB": 1 << 20, "3GiB": 3 << 30, "2TiB": 2 << 40, "1PiB": 1 << 50, "7EiB": 7 << 60,
		"4KB": 4000, "4kB": 4000, "1MB": 1e6, "20GB": 20e9, "1TB": 1e12, "1PB": 1e15, "9EB": 9e18, "9223372036854775807": math.MaxInt64, "010": 10,
	} {
		if got, err := config.ParseSize(text); err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestParseSizeRefuses(t *testing.T) {
	for _, text := range []string{"", " ", "k", "4k", "4K", "4M", "4kb", "4mib", "4 K iB", "-1", "+1", "1.5MiB", "1e3", "1,000", "0x10", "4KiB/s", "٤", "8EiB", "9223372036854775808", "99999999999999999999EiB"} {
		if got, err := config.ParseSize(text); err == nil {
			t.Errorf("%q: %d, no error", text, got)
		}
	}
}

func TestSizeString(t *testing.T) {
	for size, want := range map[config.Size]string{0: "0", 1: "1", 1000: "1000", 1024: "1KiB", 1536: "1536", 4096: "4KiB", 1 << 20: "1MiB", 1025 << 10: "1025KiB", 1 << 62: "4EiB"} {
		if got := size.String(); got != want {
			t.Errorf("%d: %s; want %s", int64(size), got, want)
		}
	}
}

func TestFreeSpace(t *testing.T) {
	for text, want := range map[string]config.Size{"10%": 100, "2.5%": 25, "0.01%": 1, "0%": 0, "1KiB": 1024, "0": 0} {
		free := load(t, "THROUGHPUT_MIN_FREE="+text).Throughput.MinFree
		if got := free.Of(1000); got != want {
			t.Errorf("%s of 1000 bytes: %d; want %d", text, got, want)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	for _, seed := range []string{"4096", "4KiB", "1 MiB", "9EB", "8EiB", "4k", "", "99999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		size, err := config.ParseSize(text)
		if err != nil {
			return
		}
		if size < 0 {
			t.Errorf("%q: %d", text, int64(size))
		}
		if again, err := config.ParseSize(size.String()); err != nil || again != size {
			t.Errorf("%q: %d, written as %s, read back as %d, %v", text, int64(size), size, int64(again), err)
		}
	})
}
