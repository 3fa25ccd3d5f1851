//go:build mariadb

package main

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/mariadbtest"
)

// faultsReport in the environment names the file to write the table to, and asks for all cells.
const faultsReport = "FAULTS_REPORT"

// cellsAtOnce is how many cells are played side by side: they wait most of their time.
const cellsAtOnce = 4

// cell is one fault at one moment.
type cell struct {
	fault  fault
	moment moment
}

func (c cell) name() string { return c.fault.name + "/" + string(c.moment) }

// TestFaults plays each fault at one moment, the moments in turn; all faults at all moments where a report is asked for.
// Each cell runs the daemon as it is shipped, with one DBroot that suffers the fault and a neighbour that does not.
func TestFaults(t *testing.T) {
	report := os.Getenv(faultsReport)
	cells := chosen()
	if report != "" {
		cells = all()
	}
	theatre := theatre{program: build(t), database: mariadbtest.Start(t)}
	searchable(t, theatre.program)
	begun := time.Now()
	seen := theatre.playAll(t, cells)
	if report == "" {
		return
	}
	if err := os.WriteFile(report, []byte(describeFaults(seen, begun)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// all returns the cells that make sense, fault by fault.
func all() (cells []cell) {
	for _, f := range faults() {
		for _, m := range moments() {
			if f.canBe(m) {
				cells = append(cells, cell{f, m})
			}
		}
	}
	return cells
}

// chosen returns a cell for each fault, so that each moment has its share of them.
func chosen() (cells []cell) {
	next := 0
	for _, f := range faults() {
		for !f.canBe(moments()[next%len(moments())]) {
			next++
		}
		cells = append(cells, cell{f, moments()[next%len(moments())]})
		next++
	}
	return cells
}

// theatre is what all cells share.
type theatre struct {
	program  string // the static binary
	database *mariadbtest.Server
}

// playAll plays the cells, some at once, and returns what was seen by the name of the cell.
func (h theatre) playAll(t *testing.T, cells []cell) map[string]observation {
	seen := make(map[string]observation, len(cells))
	var mu sync.Mutex
	var players sync.WaitGroup
	turns := make(chan struct{}, cellsAtOnce)
	for i, c := range cells {
		turns <- struct{}{}
		players.Go(func() {
			defer func() { <-turns }()
			s := &stage{cell: c, theatre: h, number: i}
			passed := t.Run(c.name(), func(t *testing.T) {
				s.T = t
				s.play()
				t.Log(s.seen)
			})
			s.seen.failed = !passed
			mu.Lock()
			defer mu.Unlock()
			seen[c.name()] = s.seen
		})
	}
	players.Wait()
	return seen
}

// TestFaultsAreCovered holds the choice to its word: every fault and every moment comes up.
func TestFaultsAreCovered(t *testing.T) {
	var faultNames []string
	played := map[moment]int{}
	for _, c := range chosen() {
		faultNames = append(faultNames, c.fault.name)
		played[c.moment]++
	}
	slices.Sort(faultNames)
	if len(slices.Compact(faultNames)) != len(faults()) {
		t.Errorf("%d of %d faults are chosen, or two have one name", len(faultNames), len(faults()))
	}
	for _, m := range moments() {
		if played[m] < 3 {
			t.Error(fmt.Sprintf("%s: %d faults", m, played[m]))
		}
	}
}
