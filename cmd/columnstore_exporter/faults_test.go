//go:build mariadb

package main

import (
	"flag"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/mariadbtest"
)

var faultsFile = flag.String("faults-document", "", "play all faults at all moments, and write the file that tells what TestFaults has seen")

// scenesAtOnce is how many scenes are played side by side: they wait most of their time.
const scenesAtOnce = 4

// scene is one fault at one moment.
type scene struct {
	fault  fault
	moment moment
}

func (c scene) name() string { return c.fault.name + "/" + string(c.moment) }

// TestFaults plays each fault at one moment, the moments in turn; all faults at all moments where a report is asked for.
// Each scene runs the daemon as it is shipped, with one DBroot that suffers the fault and a neighbour that does not.
func TestFaults(t *testing.T) {
	scenes := chosen()
	if *faultsFile != "" {
		scenes = all()
	}
	theatre := theatre{program: build(t), database: mariadbtest.Start(t)}
	searchable(t, theatre.program)
	begun := time.Now()
	seen := theatre.playAll(t, scenes)
	if *faultsFile != "" {
		testbed.Document(t, *faultsFile, "What was seen when things went wrong", "make test-faults", describeFaults(seen, time.Since(begun)))
	}
}

// all returns the scenes that make sense, fault by fault.
func all() (scenes []scene) {
	for _, f := range faults() {
		for _, m := range moments() {
			if f.canBe(m) {
				scenes = append(scenes, scene{f, m})
			}
		}
	}
	return scenes
}

// chosen returns a scene for each fault, so that each moment has its share of them.
func chosen() (scenes []scene) {
	next := 0
	for _, f := range faults() {
		for !f.canBe(moments()[next%len(moments())]) {
			next++
		}
		scenes = append(scenes, scene{f, moments()[next%len(moments())]})
		next++
	}
	return scenes
}

// theatre is what all scenes share.
type theatre struct {
	program  string // the static binary
	database *mariadbtest.Server
}

// playAll plays the scenes, some at once, and returns what was seen by the name of the scene.
func (h theatre) playAll(t *testing.T, scenes []scene) map[string]observation {
	seen := make(map[string]observation, len(scenes))
	var mu sync.Mutex
	var players sync.WaitGroup
	turns := make(chan struct{}, scenesAtOnce)
	for i, c := range scenes {
		turns <- struct{}{}
		players.Go(func() {
			defer func() { <-turns }()
			s := &stage{scene: c, theatre: h, number: i}
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
			t.Errorf("%s: %d faults", m, played[m])
		}
	}
}
