//go:build linux

package throughput

// stride returns the step with which i × stride mod n visits each of n blocks once, far from the one before: near n ÷ φ,
// where the visited blocks lie evenly spread at any time, and without a common divisor with n. Fewer than five blocks, and
// six, have no such step; 1 is returned then.
func stride(n int64) int64 {
	for s := n * 618 / 1000; s > 1; s-- {
		if divisor(s, n) == 1 {
			return s
		}
	}
	return 1
}

// divisor returns the greatest common divisor.
func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
