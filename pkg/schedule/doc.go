// Package schedule says when jobs run: each on a grid of its own that spreads a fleet over the interval, without overlap,
// supervised, and apart from heavy trials.
package schedule
