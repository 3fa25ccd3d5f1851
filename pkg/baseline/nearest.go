//go:build linux

package baseline

import "math"

// Hysteresis is how many times nearer another layout must be before it takes the place of the previous one. The mean of
// a run of 30 requests on shared storage scatters by up to 1.4; without this, a node half way between two layouts would
// flip with each run.
const Hysteresis = 1.5

// Match is the layout that a node resembles most.
type Match struct {
	Layout string `json:"layout"`
	// Distance is the root mean square of ln(measured ÷ published) over the kinds compared.
	Distance float64 `json:"distance"`
}

// Factor is the distance as a factor: 1 is the layout itself, 2 is typically twice or half its latencies.
func (m Match) Factor() float64 { return math.Exp(m.Distance) }

// Nearest returns the layout whose means are nearest to the measured ones, false when nothing was measured or there is no
// layout to compare with. The distance is taken between logarithms, because latencies differ by factors. The previous
// layout (its name, or empty) is kept until another one is Hysteresis times nearer.
func Nearest(measured Means, layouts []Layout, previous string) (Match, bool) {
	var best, kept Match
	found, keepable := false, false
	for _, layout := range layouts {
		distance, ok := distance(measured, layout.Means())
		if !ok {
			continue
		}
		match := Match{Layout: layout.Name, Distance: distance}
		if !found || distance < best.Distance {
			best, found = match, true
		}
		if layout.Name == previous {
			kept, keepable = match, true
		}
	}
	if keepable && kept.Distance-best.Distance < math.Log(Hysteresis) {
		return kept, true
	}
	return best, found
}

// distance compares the kinds that both sides know; false when there is none.
func distance(measured, published Means) (float64, bool) {
	var squares mean
	for _, pair := range [][2]float64{
		{measured.DBRoot, published.DBRoot},
		{measured.BulkRollback, published.BulkRollback},
	} {
		if known(pair[0]) && known(pair[1]) {
			ratio := math.Log(pair[0] / pair[1])
			squares.add(ratio * ratio)
		}
	}
	return math.Sqrt(squares.value()), squares.count > 0
}
