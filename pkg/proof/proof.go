// Package proof judges whether figures are those of the storage: reads that a cache served tell nothing of it.
package proof

// Least is the least share of the bytes read that must have come from storage for a figure to be the storage's.
const Least = 0.9

// Lacks tells whether a device ratio, the share of the bytes read that came from storage, is too low or no number. nil is
// that of a file system that does not account, and lacks nothing.
func Lacks(ratio *float64) bool { return ratio != nil && !(*ratio >= Least) }
