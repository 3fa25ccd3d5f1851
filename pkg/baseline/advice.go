//go:build linux

package baseline

import (
	"fmt"

	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// worthwhile is the share of the import time that a move must save before it is advised.
const worthwhile = 0.1

// advice tells what to do about d; empty when there is nothing to do.
func (j judge) advice(d Directory, word Word) string {
	switch {
	case word == Uneven:
		return fmt.Sprintf("The slowest request took %s: look for other work on the same storage.", human.Seconds(d.Read.Max))
	case word == Slow && d.Kind == topology.KindBulkRollback:
		return j.moveRollback()
	case word == Slow && d.Kind == topology.KindDBRoot:
		return j.moveAll()
	case d.Kind == topology.KindExtra && j.forecast.FastLike == d.label():
		return j.candidate()
	default:
		return ""
	}
}

// moveRollback names the storage that bulkRollback should move to, and what that would gain.
func (j judge) moveRollback() string {
	storage := "storage that answers in " + human.Seconds(j.forecast.Fast)
	if j.forecast.FastLike != "" {
		storage = fmt.Sprintf("storage like %s (%s)", j.forecast.FastLike, human.Seconds(j.forecast.Fast))
	}
	if gain, ok := j.gain(FastRollback); ok {
		return "Moving it to " + storage + " would cut " + gain + "."
	}
	return ""
}

func (j judge) moveAll() string {
	if gain, ok := j.gain(AllLocal); ok {
		return "Storage as fast as the published local layout, for every directory, would cut " + gain + "."
	}
	return ""
}

// candidate recommends an extra directory as the place for bulkRollback.
func (j judge) candidate() string {
	if gain, ok := j.gain(FastRollback); ok {
		return "bulkRollback on storage like this would cut " + gain + "."
	}
	return ""
}

// gain words the difference that a scenario would make to the import; false when it is unknown or not worth the move.
func (j judge) gain(scenario Scenario) (string, bool) {
	now, known := j.forecast.Seconds(Now)
	then, predicted := j.forecast.Seconds(scenario)
	if !known || !predicted || then > now*(1-worthwhile) {
		return "", false
	}
	return fmt.Sprintf("the 10,000 x %d import from about %s to about %s", j.node.Columns, about(now), about(then)), true
}

// about writes seconds as roughly as they are known.
func about(seconds float64) string {
	if seconds >= 10 {
		return fmt.Sprintf("%.0f s", seconds)
	}
	return fmt.Sprintf("%.1f s", seconds)
}

// overall is the verdict on the node: the worst word, the layout it resembles, the import time and the best advice.
func (j judge) overall(verdicts []Verdict, match *Match, layouts []Layout) Verdict {
	if len(verdicts) == 0 {
		return j.empty()
	}
	word := j.node.worst(verdicts)
	return Verdict{Word: word, Sentence: join(
		j.counts(verdicts, word), resemblance(match, layouts), j.importTime(), j.bestMove(),
	)}
}

func (j judge) empty() Verdict {
	if j.node.Discovery != "" {
		return Verdict{Word: Failing, Sentence: "No directory is known: " + j.node.Discovery + "."}
	}
	return Verdict{Word: Waiting, Sentence: "No directory is known yet."}
}

// counts tells how many of the node's directories share the worst word.
func (j judge) counts(verdicts []Verdict, word Word) string {
	total, same := 0, 0
	for i, v := range verdicts {
		if j.node.Directories[i].Kind == topology.KindExtra {
			continue
		}
		total++
		if v.Word == word || word == Failing && v.Word == Absent && j.node.Directories[i].Kind == topology.KindDBRoot {
			same++
		}
	}
	switch {
	case total == 0:
		return "There is no DBroot to judge."
	case word == Fast:
		return fmt.Sprintf("All directories answer within the guideline of %s.", human.Seconds(j.node.Guideline))
	default:
		return fmt.Sprintf("%d of %d directories: %s.", same, total, word)
	}
}

func resemblance(match *Match, layouts []Layout) string {
	if match == nil {
		return ""
	}
	for _, layout := range layouts {
		if layout.Name == match.Layout {
			return fmt.Sprintf("Of the reference layouts, %s is nearest (its latencies by a factor of %s).",
				layout.Title, human.Number(match.Factor()))
		}
	}
	return ""
}

func (j judge) importTime() string {
	now, ok := j.forecast.Seconds(Now)
	if !ok {
		return ""
	}
	basis := "with the constant of the published host (" + PublishedHost + ")"
	if j.forecast.Constant.Basis == NodeBasis {
		basis = "by its own trials"
	}
	return fmt.Sprintf("The 10,000 x %d import should take about %s, %s.", j.node.Columns, about(now), basis)
}

// bestMove advises on bulkRollback when moving it pays: it is the smaller move.
func (j judge) bestMove() string {
	if gain, ok := j.gain(FastRollback); ok {
		where := "low-latency storage"
		if j.forecast.FastLike != "" {
			where = "storage like " + j.forecast.FastLike
		}
		return "bulkRollback on " + where + " would cut " + gain + "."
	}
	return ""
}
