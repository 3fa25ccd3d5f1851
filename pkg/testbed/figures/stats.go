//go:build linux

package figures

import (
	"fmt"
	"slices"
)

// Quantile returns the value below which a share of the values lies, 0 to 1; 0 for none. It sorts a copy.
func Quantile[T ~int64 | float64](values []T, share float64) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

// Spread writes the median and the quartiles of ratios.
func Spread(ratios []float64) string {
	return fmt.Sprintf("%.3f (%.3f–%.3f)", Quantile(ratios, 0.5), Quantile(ratios, 0.25), Quantile(ratios, 0.75))
}

// Verdict says whether a figure holds what was aimed at.
func Verdict(holds bool) string {
	if holds {
		return "yes"
	}
	return "no"
}
