//go:build linux

package web

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// group is the directories of one DBroot, or the extra ones.
type group struct {
	Title  string
	DBRoot string
	Cards  []card
}

// entry is a line of the index: a directory with its word and its mean.
type entry struct {
	ID, Label, Mean string
	Word            baseline.Word
}

// extras is the title of the group of the directories that belong to no DBroot.
const extras = "Extra directories"

// groups sorts the targets by DBroot, and within it the DBroot before its bulkRollback; extras come last.
func groups(s status.Snapshot) []group {
	scale := scaleOf(s)
	var out []group
	for i, t := range sorted(s.Targets) {
		title := extras
		if t.Kind != topology.KindExtra {
			title = "DBroot " + t.DBRoot
		}
		if len(out) == 0 || out[len(out)-1].Title != title {
			out = append(out, group{Title: title, DBRoot: t.DBRoot})
		}
		last := &out[len(out)-1]
		card := newCard(s, t, scale)
		card.ID = fmt.Sprintf("directory-%d", i+1)
		last.Cards = append(last.Cards, card)
	}
	return out
}

// fewDirectories need no index.
const fewDirectories = 3

func index(groups []group) []entry {
	var entries []entry
	for _, g := range groups {
		for _, c := range g.Cards {
			label := strings.TrimSpace(c.Title + " " + g.DBRoot)
			entries = append(entries, entry{c.ID, label, strings.TrimSpace(c.Mean + " " + c.Unit), c.Verdict.Word})
		}
	}
	if len(entries) <= fewDirectories {
		return nil
	}
	return entries
}

func sorted(targets []status.Target) []status.Target {
	kinds := []topology.Kind{topology.KindDBRoot, topology.KindBulkRollback, topology.KindExtra}
	return slices.SortedStableFunc(slices.Values(targets), func(a, b status.Target) int {
		return cmp.Or(
			cmp.Compare(number(a), number(b)),
			cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)),
		)
	})
}

// number is the number of the DBroot. An extra directory has none, and comes last.
func number(t status.Target) int {
	if n, err := strconv.Atoi(t.DBRoot); err == nil {
		return n
	}
	return math.MaxInt
}
