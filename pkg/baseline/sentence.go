//go:build linux

package baseline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// judge words the verdicts on the directories of one node.
type judge struct {
	node     Node
	forecast Forecast
}

// sentence explains the word for d: the figures behind it, then the advice.
func (j judge) sentence(d Directory, word Word) string {
	switch word {
	case Hung:
		return fmt.Sprintf("%s has been in flight for %s: whatever ColumnStore asks of this directory waits too. Look at %s.",
			sentenceCase(d.Operation), age(d.InFlight), "the device or the server behind its mount")
	case Failing:
		return j.failing(d)
	case Absent:
		return j.absent(d)
	case Waiting:
		return "No run has finished yet."
	case Unproven:
		return fmt.Sprintf("%s of the bytes read came from storage, the rest from a cache: %s says nothing about the device.",
			few(*d.DeviceRatio), human.Seconds(d.Read.Avg))
	default:
		return join(j.latency(d), j.rollback(d), j.throughput(d), j.advice(d, word))
	}
}

func (j judge) failing(d Directory) string {
	why := strings.TrimSuffix(d.Error, ".")
	switch {
	case why == "": // whatever fails has a text
		return "The last run ended before a read was counted; none failed."
	case d.State == topology.StatePresent:
		return "The last run did not measure: " + why + "."
	default:
		return "It cannot be measured: " + why + "."
	}
}

func (j judge) absent(d Directory) string {
	switch d.Kind {
	case topology.KindBulkRollback:
		sentence := "There is no bulkRollback yet: the first import creates it inside the DBroot"
		if root, ok := j.root(d); ok {
			sentence += ", whose " + human.Seconds(root) + " stand for it"
		}
		return sentence + "."
	case topology.KindDBRoot:
		return "There is no such directory: mount it, or correct its path in Columnstore.xml or COLUMNSTORE_EXPORTER_DBROOTS."
	default:
		return "There is no such directory: mount or create it, or correct its path."
	}
}

// latency tells the mean against the guideline, and the scatter where it is worth a word.
func (j judge) latency(d Directory) string {
	name := "It"
	if d.Kind == topology.KindBulkRollback {
		name = "bulkRollback"
	}
	relation := "within"
	if d.Read.Avg > j.node.Guideline {
		relation = human.Ratio(d.Read.Avg/j.node.Guideline) + " times"
	}
	return fmt.Sprintf("%s answers in %s, %s the guideline of %s, with an mdev of %s.",
		name, human.Seconds(d.Read.Avg), relation, human.Seconds(j.node.Guideline), human.Seconds(d.Read.Mdev))
}

// rollback compares a bulkRollback with its DBroot, and tells what its commits take: these are what cpimport does there.
func (j judge) rollback(d Directory) string {
	if d.Kind != topology.KindBulkRollback {
		return ""
	}
	var parts []string
	if root, ok := j.root(d); ok {
		parts = append(parts, compare(d.Read.Avg, root))
	}
	if d.Commit != nil && known(d.Commit.Avg) {
		parts = append(parts, "a commit takes "+human.Seconds(d.Commit.Avg))
	}
	if len(parts) == 0 {
		return ""
	}
	return sentenceCase(strings.Join(parts, "; ")) + "."
}

func compare(own, root float64) string {
	switch ratio := root / own; {
	case ratio >= 1.25:
		return "it is " + human.Ratio(ratio) + " times as fast as its DBroot"
	case ratio <= 0.8:
		return "it is " + human.Ratio(1/ratio) + " times as slow as its DBroot"
	default:
		return "it is about as fast as its DBroot"
	}
}

// throughput tells the weakest test when it is below what a core should get.
func (j judge) throughput(d Directory) string {
	if len(d.CoreRates) == 0 {
		return ""
	}
	weakest := slices.MinFunc(d.CoreRates, func(a, b CoreRate) int { return sign(a.BytesPerSecond - b.BytesPerSecond) })
	rate := human.BytesPerSecond(weakest.BytesPerSecond)
	switch {
	case weakest.BytesPerSecond < CoreMinimum:
		return fmt.Sprintf("One core gets %s (%s), below the minimum of 20 MB/s.", rate, weakest.Test)
	case weakest.BytesPerSecond < CoreRecommended:
		return fmt.Sprintf("One core gets %s (%s), above the minimum of 20 but below the recommended 40 MB/s.", rate, weakest.Test)
	default:
		return fmt.Sprintf("One core gets at least %s (%s).", rate, weakest.Test)
	}
}

// root is the latency of the DBroot that d belongs to.
func (j judge) root(d Directory) (float64, bool) {
	for _, other := range j.node.Directories {
		if other.Kind == topology.KindDBRoot && other.DBRoot == d.DBRoot {
			return other.latency()
		}
	}
	return 0, false
}

// few writes a share that is too small.
func few(share float64) string {
	if !(share > 0) {
		return "None"
	}
	return "Only " + human.Ratio(100*share) + " %"
}

func age(d time.Duration) string {
	if d < time.Minute {
		return human.Seconds(d.Seconds())
	}
	return d.Round(time.Second).String()
}

func sentenceCase(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func sign(x float64) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	default:
		return 0
	}
}

func join(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}
