//go:build linux

package baseline

import (
	"math"
	"slices"
)

// FitTrials is the number of trials that the node's own constant rests on at most: the last ones.
const FitTrials = 10

// Basis tells whose constant a prediction uses.
type Basis string

const (
	// PublishedBasis is the constant of the published table's host.
	PublishedBasis Basis = "published host"
	// NodeBasis is the constant fitted to the node's own trials.
	NodeBasis Basis = "this node"
)

// Trial is one successful import trial, with the latencies that were measured when it ran.
type Trial struct {
	Seconds float64
	Means   Means
}

// Constant is the part of an import that does not depend on latency.
type Constant struct {
	Seconds float64 `json:"seconds"`
	Basis   Basis   `json:"basis"`
	// Trials is the number of trials that it was fitted to; 0 for PublishedBasis.
	Trials int `json:"trials"`
}

// fit takes the median of what the last trials took beyond their latencies, so that one import beside a backup does not
// move it. It is never negative: where a node's imports pay fewer latencies than the published ones, the estimate stays
// above them rather than promise an import in no time.
func fit(trials []Trial, columns int) Constant {
	var rest []float64
	for _, trial := range slices.Backward(trials) {
		if !trial.Means.Complete || !known(trial.Seconds) || len(rest) == FitTrials {
			continue
		}
		rest = append(rest, trial.Seconds-latencySeconds(trial.Means, columns))
	}
	if len(rest) == 0 {
		return Constant{Seconds: PublishedConstant, Basis: PublishedBasis}
	}
	return Constant{Seconds: math.Max(0, median(rest)), Basis: NodeBasis, Trials: len(rest)}
}

func median(xs []float64) float64 {
	slices.Sort(xs)
	middle := len(xs) / 2
	if len(xs)%2 == 1 {
		return xs[middle]
	}
	return (xs[middle-1] + xs[middle]) / 2
}
