//go:build linux

package report

import (
	"fmt"
	"math"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/human"
)

// longest is the longest time, in seconds, that is taken for one: a year.
const longest = 365 * 86400

// Duration formats seconds as ioping does: ns, us, ms or s, with no more decimals than carry meaning. What is no duration,
// being negative or longer than a year, is human.None.
func Duration(seconds float64) string {
	switch {
	case !(seconds >= 0) || seconds > longest:
		return human.None
	case seconds < 1e-6:
		return decimals(seconds*1e9) + " ns"
	case seconds < 1e-3:
		return decimals(seconds*1e6) + " us"
	case seconds < 1:
		return decimals(seconds*1e3) + " ms"
	case seconds < 120:
		return decimals(seconds) + " s"
	default:
		return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
	}
}

// Size formats bytes in binary units, as ioping does; human.None for what is not finite.
func Size(bytes float64) string {
	if !finite(bytes) {
		return human.None
	}
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for bytes >= 1024 && i < len(units)-1 {
		bytes /= 1024
		i++
	}
	return decimals(bytes) + " " + units[i]
}

// Count formats a number in decimal units, as ioping does; human.None for what is not finite.
func Count(n float64) string {
	if !finite(n) {
		return human.None
	}
	units := []string{"", " k", " M", " G", " T"}
	i := 0
	for n >= 1000 && i < len(units)-1 {
		n /= 1000
		i++
	}
	return decimals(n) + units[i]
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// decimals writes x as ioping does: a whole number as it is, one decimal from 10 on, otherwise two.
func decimals(x float64) string {
	switch {
	case x == math.Trunc(x):
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	default:
		return fmt.Sprintf("%.2f", x)
	}
}
