//go:build linux

package baseline

import (
	"fmt"
	"strings"

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
	case d.Kind == topology.KindExtra && j.forecast.FastLike == d.Label():
		return j.candidate()
	default:
		return ""
	}
}

// moveRollback names the storage that bulkRollback should move to, and what that would gain.
func (j judge) moveRollback() string {
	return j.move("Moving it to "+j.fastStorage(), FastRollback)
}

func (j judge) moveAll() string {
	return j.move("Storage as fast as the published local layout, for every directory,", AllLocal)
}

// candidate recommends an extra directory as the place for bulkRollback.
func (j judge) candidate() string {
	return j.move("bulkRollback on storage like this", FastRollback)
}

func (j judge) fastStorage() string {
	if j.forecast.FastLike != "" {
		return fmt.Sprintf("storage like %s (%s)", j.forecast.FastLike, human.Seconds(j.forecast.Fast))
	}
	return "storage that answers in " + human.Seconds(j.forecast.Fast)
}

// move tells what a move would gain; empty when that is unknown or not worth it.
func (j judge) move(what string, scenario Scenario) string {
	then, ok := j.gain(scenario)
	if !ok {
		return ""
	}
	now, _ := j.forecast.Seconds(Now)
	return fmt.Sprintf("%s would cut the 10,000 x %d import from about %s to about %s.", what, j.node.Columns, about(now), about(then))
}

// gain is the import time of a scenario; false when it is unknown or not worth the move.
func (j judge) gain(scenario Scenario) (float64, bool) {
	now, known := j.forecast.Seconds(Now)
	then, predicted := j.forecast.Seconds(scenario)
	return then, known && predicted && then <= now*(1-worthwhile)
}

// about writes seconds as roughly as they are known.
func about(seconds float64) string {
	if seconds >= 10 {
		return fmt.Sprintf("%.0f s", seconds)
	}
	return fmt.Sprintf("%.1f s", seconds)
}

// overall is the verdict on the node: who shares the worst word, the layout that the node resembles, the import time and the
// best advice.
func (j judge) overall(verdicts []Verdict, match *Match, layouts []Layout) Verdict {
	if len(verdicts) == 0 {
		return j.empty()
	}
	word := j.node.worst(verdicts)
	return Verdict{Word: word, Sentence: join(j.who(verdicts, word), resemblance(match, layouts), j.importTime())}
}

func (j judge) empty() Verdict {
	if j.node.Discovery != "" {
		return Verdict{Word: Failing, Sentence: "No directory is known: " + strings.TrimSuffix(j.node.Discovery, ".") + "."}
	}
	return Verdict{Word: Waiting, Sentence: "No directory is known yet."}
}

// fewNames is how many directories the verdict on the node names before it only counts them.
const fewNames = 3

// who tells which of the node's directories share the worst word.
func (j judge) who(verdicts []Verdict, word Word) string {
	var names []string
	total := 0
	for i, v := range verdicts {
		d := j.node.Directories[i]
		own, counts := j.node.share(d, v.Word)
		if !counts {
			continue
		}
		total++
		if own == word {
			names = append(names, d.Label())
		}
	}
	switch {
	case total == 0:
		return "There is no DBroot to judge."
	case word == Fast:
		return fmt.Sprintf("Every directory answers within the guideline of %s.", human.Seconds(j.node.Guideline))
	case len(names) == 1:
		return fmt.Sprintf("%s is %s.", names[0], word)
	case len(names) <= fewNames:
		last := len(names) - 1
		return fmt.Sprintf("%s and %s are %s.", strings.Join(names[:last], ", "), names[last], word)
	default:
		return fmt.Sprintf("%d of %d directories are %s.", len(names), total, word)
	}
}

func resemblance(match *Match, layouts []Layout) string {
	if match == nil {
		return ""
	}
	return fmt.Sprintf("The nearest reference layout is %s, off by a factor of %s.", Title(layouts, match.Layout), human.Number(match.Factor()))
}

// importTime tells what an import should take, and what it would with bulkRollback moved: the smaller move.
func (j judge) importTime() string {
	now, ok := j.forecast.Seconds(Now)
	if !ok {
		return ""
	}
	basis := "with the constant of the published host, " + PublishedHost
	if j.forecast.Constant.Basis == NodeBasis {
		basis = "by its own trials"
	}
	sentence := fmt.Sprintf("The 10,000 x %d import should take about %s here (%s)", j.node.Columns, about(now), basis)
	if then, ok := j.gain(FastRollback); ok {
		sentence += fmt.Sprintf("; bulkRollback on %s would cut that to about %s", j.fastStorage(), about(then))
	}
	return sentence + "."
}
