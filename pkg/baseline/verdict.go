//go:build linux

package baseline

import (
	"slices"

	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// Word is a verdict in one word.
type Word string

// The closed set of verdicts, worst first.
const (
	// Hung: an operation has been in flight for HungAfter or longer.
	Hung Word = "hung"
	// Failing: the last run did not measure, or nobody could look at the directory.
	Failing Word = "failing"
	// Slow: the mean of the last run is above the guideline.
	Slow Word = "slow"
	// Unproven: the reads did not reach the device, so that their latency says nothing about it.
	Unproven Word = "unproven"
	// Uneven: the mean is within the guideline, but mdev is more than half of it and the slowest request was above it.
	Uneven Word = "uneven"
	// Narrow: the latency is good, but the throughput of a core is below CoreMinimum.
	Narrow Word = "narrow"
	// Absent: there is no such directory. For a bulkRollback that is normal before the first import.
	Absent Word = "absent"
	// Waiting: no run has finished yet.
	Waiting Word = "waiting"
	// Fast: the mean is within the guideline.
	Fast Word = "fast"
)

// Words returns the closed set, worst first.
func Words() []Word {
	return []Word{Hung, Failing, Slow, Unproven, Uneven, Narrow, Absent, Waiting, Fast}
}

// The throughput that one core should get, in bytes per second (decimal, as published with vioperf).
const (
	CoreMinimum     = 20e6
	CoreRecommended = 40e6
)

// Verdict is the answer for one directory or for the node: one word, and one or two sentences with the figures behind it
// and what to do.
type Verdict struct {
	Word     Word   `json:"word"`
	Sentence string `json:"sentence"`
}

// Node is what Assess judges.
type Node struct {
	// Guideline for the mean read latency, in seconds.
	Guideline float64
	// Columns of the trial table; 0 means PublishedColumns.
	Columns     int
	Directories []Directory
	// Trials are the node's successful import trials, oldest first.
	Trials []Trial
	// Discovery is why the directories could not be found; empty otherwise.
	Discovery string
}

// Assessment is everything that this package concludes about a node.
type Assessment struct {
	// Layout is the nearest layout, nil when nothing was measured.
	Layout   *Match
	Forecast Forecast
	Verdict  Verdict
	// Directories are the verdicts in the order of Node.Directories.
	Directories []Verdict
}

// Assess judges a node against the guideline and the layouts. Previous is the name of the layout that was nearest the last
// time, empty at first.
func Assess(node Node, layouts []Layout, previous string) Assessment {
	if node.Columns == 0 {
		node.Columns = PublishedColumns
	}
	a := Assessment{Forecast: Predict(node.Directories, node.Trials, node.Columns)}
	if match, ok := Nearest(a.Forecast.Means, layouts, previous); ok {
		a.Layout = &match
	}
	judge := judge{node: node, forecast: a.Forecast}
	for _, d := range node.Directories {
		word := node.word(d)
		a.Directories = append(a.Directories, Verdict{Word: word, Sentence: judge.sentence(d, word)})
	}
	a.Verdict = judge.overall(a.Directories, a.Layout, layouts)
	return a
}

func (n Node) word(d Directory) Word {
	switch {
	case d.hung():
		return Hung
	case d.failing():
		return Failing
	case d.State == topology.StateAbsent:
		return Absent
	case d.Read == nil || !known(d.Read.Avg):
		return Waiting
	case d.unproven():
		return Unproven
	case d.Read.Avg > n.Guideline:
		return Slow
	case d.Read.Mdev > d.Read.Avg/2 && d.Read.Max > n.Guideline:
		return Uneven
	case d.narrow():
		return Narrow
	default:
		return Fast
	}
}

func (d Directory) narrow() bool {
	return slices.ContainsFunc(d.CoreRates, func(r CoreRate) bool { return r.BytesPerSecond < CoreMinimum })
}

// worst is the word for the node.
func (n Node) worst(verdicts []Verdict) Word {
	worst, judged := Fast, false
	for i, v := range verdicts {
		word, counts := n.share(n.Directories[i], v.Word)
		judged = judged || counts
		if counts && slices.Index(Words(), word) < slices.Index(Words(), worst) {
			worst = word
		}
	}
	if !judged {
		return Waiting
	}
	return worst
}

// share is what a directory's word means for the node, and whether it counts. Extras are not the node's storage, unless
// there is nothing else; an absent bulkRollback is normal; any other directory that is absent fails.
func (n Node) share(d Directory, word Word) (Word, bool) {
	switch {
	case d.absentRollback() || d.Kind == topology.KindExtra && slices.ContainsFunc(n.Directories, Directory.ofColumnStore):
		return word, false
	case word == Absent:
		return Failing, true
	default:
		return word, true
	}
}

func (d Directory) ofColumnStore() bool { return d.Kind != topology.KindExtra }
