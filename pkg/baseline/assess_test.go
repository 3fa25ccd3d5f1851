package baseline_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

const guideline = 700e-6

// asMeasured turns a layout into the directories of a node that measured exactly its latencies; where bulkRollback lies in
// the DBroot it measures the same.
func asMeasured(layout baseline.Layout) []baseline.Directory {
	var directories []baseline.Directory
	own := make(map[string]bool)
	for _, l := range layout.Latencies {
		directories = append(directories, measured(l.DBRoot, l.Kind, l.Seconds))
		own[l.DBRoot] = own[l.DBRoot] || l.Kind == topology.KindBulkRollback
	}
	for _, l := range layout.Latencies {
		if !own[l.DBRoot] {
			directories = append(directories, measured(l.DBRoot, topology.KindBulkRollback, l.Seconds))
		}
	}
	return directories
}

func measured(dbroot string, kind topology.Kind, seconds float64) baseline.Directory {
	return baseline.Directory{
		Target:  topology.Target{DBRoot: dbroot, Kind: kind},
		State:   topology.StatePresent,
		Success: new(true),
		Read:    &baseline.Figures{Min: seconds, Avg: seconds, Max: seconds, Mdev: seconds / 10},
	}
}

func extra(name string, seconds float64) baseline.Directory {
	d := measured("", topology.KindExtra, seconds)
	d.Name = name
	return d
}

func without(directories []baseline.Directory, kind topology.Kind) []baseline.Directory {
	return slices.DeleteFunc(slices.Clone(directories), func(d baseline.Directory) bool { return d.Kind == kind })
}

func layout(t *testing.T, name string) baseline.Layout {
	t.Helper()
	for _, l := range baseline.Published() {
		if l.Name == name {
			return l
		}
	}
	t.Fatalf("no published layout %q", name)
	return baseline.Layout{}
}

func assess(t *testing.T, directories []baseline.Directory, trials ...baseline.Trial) baseline.Assessment {
	t.Helper()
	node := baseline.Node{Guideline: guideline, Directories: directories, Trials: trials}
	return baseline.Assess(node, baseline.Published(), "")
}

func TestPublishedTableGivesBackItself(t *testing.T) {
	for _, published := range baseline.Published() {
		t.Run(published.Name, func(t *testing.T) {
			got := assess(t, asMeasured(published))
			if got.Layout == nil || got.Layout.Layout != published.Name || got.Layout.Distance > 1e-9 {
				t.Errorf("nearest layout %+v, want %s at distance 0", got.Layout, published.Name)
			}
			now, ok := got.Forecast.Seconds(baseline.Now)
			if !ok || now < published.Ingest.Lower || now > published.Ingest.Upper {
				t.Errorf("predicted %v s, published %+v", now, *published.Ingest)
			}
			if got.Forecast.Constant.Basis != baseline.PublishedBasis {
				t.Errorf("basis %q without trials", got.Forecast.Constant.Basis)
			}
		})
	}
}

func TestPublishedMovesOfBulkRollback(t *testing.T) {
	got := assess(t, asMeasured(layout(t, baseline.NFSHA))).Forecast
	for scenario, want := range map[baseline.Scenario]string{
		baseline.FastRollback: baseline.NFSHALowLatencyBulkRollback,
		baseline.AllLocal:     baseline.Local,
	} {
		bounds := layout(t, want).Ingest
		if seconds, _ := got.Seconds(scenario); seconds < bounds.Lower || seconds > bounds.Upper {
			t.Errorf("%s predicts %v s, published %+v", scenario, seconds, *bounds)
		}
	}
}

func TestAbsentBulkRollbackTakesItsDBroot(t *testing.T) {
	nfs := asMeasured(layout(t, baseline.NFSHA))
	want, _ := assess(t, nfs).Forecast.Seconds(baseline.Now)

	rooted := without(nfs, topology.KindBulkRollback)
	absent := baseline.Directory{
		Target: topology.Target{DBRoot: "1", Kind: topology.KindBulkRollback}, State: topology.StateAbsent,
	}
	got := assess(t, append(rooted, absent))
	if now, ok := got.Forecast.Seconds(baseline.Now); !ok || math.Abs(now-want) > 1e-9 {
		t.Errorf("predicted %v s, want %v s", now, want)
	}
	if assumed := got.Forecast.Means.Assumed; !slices.Equal(assumed, []string{"1", "2", "3"}) {
		t.Errorf("assumed for DBroots %q, want all three", assumed)
	}
	if word := got.Directories[len(rooted)].Word; word != baseline.Absent {
		t.Errorf("verdict %q, want absent", word)
	}
	if got.Verdict.Word != baseline.Slow {
		t.Errorf("node is %q, want slow: an absent bulkRollback is no fault of its own", got.Verdict.Word)
	}
}

func TestFastestDirectoryIsTheCandidate(t *testing.T) {
	got := assess(t, append(asMeasured(layout(t, baseline.NFSHA)), extra("nvme", 400e-6), extra("sata", 800e-6)))
	if got.Forecast.Fast != 400e-6 || got.Forecast.FastLike != "extra:nvme" {
		t.Errorf("fast bulkRollback %v like %q", got.Forecast.Fast, got.Forecast.FastLike)
	}
	advice := "storage like extra:nvme (400 µs) would cut the 10,000 x 250 import from about 30 s to about 13 s."
	for i, d := range got.Directories[3:6] {
		if !strings.Contains(d.Sentence, advice) {
			t.Errorf("bulkRollback %d: %q, want advice %q", i+1, d.Sentence, advice)
		}
	}
}

func TestNothingToGainNothingAdvised(t *testing.T) {
	got := assess(t, append(asMeasured(layout(t, baseline.Local)), extra("nvme", 440e-6)))
	for _, v := range append(got.Directories, got.Verdict) {
		if v.Word != baseline.Fast || strings.Contains(v.Sentence, "would cut") {
			t.Errorf("verdict %+v, want fast and no advice", v)
		}
	}
}

func TestConstantIsFittedToTheLastTrials(t *testing.T) {
	directories := asMeasured(layout(t, baseline.NFSHA))
	means := baseline.MeansOf(directories)
	published, _ := assess(t, directories).Forecast.Seconds(baseline.Now)
	trial := func(constant float64) baseline.Trial {
		return baseline.Trial{Seconds: published - baseline.PublishedConstant + constant, Means: means}
	}
	for _, test := range []struct {
		name   string
		trials []baseline.Trial
		want   float64
		count  int
	}{
		{"one", []baseline.Trial{trial(12)}, 12, 1},
		{"an outlier does not move it", []baseline.Trial{trial(11), trial(300), trial(11.5)}, 11.5, 3},
		{"even", []baseline.Trial{trial(11), trial(13)}, 12, 2},
		{"the last ten", append(slices.Repeat([]baseline.Trial{trial(90)}, 20), slices.Repeat([]baseline.Trial{trial(8)}, 10)...), 8, 10},
		{"never negative", []baseline.Trial{trial(-3)}, 0, 1},
		{"unknown latencies do not count", []baseline.Trial{trial(12), {Seconds: 99}}, 12, 1},
		{"nor times that are none", []baseline.Trial{trial(12), {Seconds: math.NaN(), Means: means}, {Seconds: 0, Means: means}}, 12, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := assess(t, directories, test.trials...).Forecast
			if c := got.Constant; c.Basis != baseline.NodeBasis || math.Abs(c.Seconds-test.want) > 1e-6 || c.Trials != test.count {
				t.Errorf("constant %+v, want %v s of %d trials", c, test.want, test.count)
			}
			now, _ := got.Seconds(baseline.Now)
			if want := published - baseline.PublishedConstant + test.want; math.Abs(now-want) > 1e-6 {
				t.Errorf("predicted %v s, want %v s", now, want)
			}
		})
	}
}

func TestLatenciesScaleWithColumns(t *testing.T) {
	directories := asMeasured(layout(t, baseline.NFSHA))
	full, _ := baseline.Predict(directories, nil, 250).Seconds(baseline.Now)
	half, _ := baseline.Predict(directories, nil, 125).Seconds(baseline.Now)
	if want := baseline.PublishedConstant + (full-baseline.PublishedConstant)/2; math.Abs(half-want) > 1e-9 {
		t.Errorf("125 columns take %v s, want %v s", half, want)
	}
}

func TestExtremesNeverPrintNaN(t *testing.T) {
	values := []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64, math.MaxFloat64, 450e-6}
	kinds := []topology.Kind{topology.KindDBRoot, topology.KindBulkRollback, topology.KindExtra}
	for _, a := range values {
		for _, b := range values {
			for _, kind := range kinds {
				one := measured("1", kind, a)
				one.Commit = &baseline.Figures{Avg: b}
				one.DeviceRatio = &b
				one.CoreRates = []baseline.CoreRate{{Test: "write", BytesPerSecond: b}}
				two := measured("1", topology.KindDBRoot, b)
				for _, directories := range [][]baseline.Directory{{one}, {two, one}, {one, two, one}} {
					mustBePrintable(t, assess(t, directories, baseline.Trial{Seconds: a, Means: baseline.MeansOf(directories)}))
				}
			}
		}
	}
	mustBePrintable(t, assess(t, nil))
}

func mustBePrintable(t *testing.T, a baseline.Assessment) {
	t.Helper()
	text, err := json.Marshal(a) // refuses NaN and the infinite
	if err != nil {
		t.Fatalf("%+v: %v", a, err)
	}
	for _, word := range []string{"NaN", "Inf"} {
		if strings.Contains(string(text), word) {
			t.Fatalf("%s in %s", word, text)
		}
	}
}

func TestNearestHysteresis(t *testing.T) {
	layouts := []baseline.Layout{layout(t, baseline.Local), layout(t, baseline.NFSHA)}
	middle := math.Sqrt(layouts[0].Means().DBRoot * layouts[1].Means().DBRoot)
	for _, test := range []struct {
		name     string
		seconds  float64
		previous string
		want     string
	}{
		{"at first the nearer one, however little", middle * 0.99, "", baseline.Local},
		{"noise above the middle keeps local", middle * 1.1, baseline.Local, baseline.Local},
		{"noise below the middle keeps nfs_ha", middle / 1.1, baseline.NFSHA, baseline.NFSHA},
		{"clearly above changes", middle * 1.4, baseline.Local, baseline.NFSHA},
		{"clearly below changes", middle / 1.4, baseline.NFSHA, baseline.Local},
		{"a layout that is no longer there does not count", middle * 1.1, "gone", baseline.NFSHA},
	} {
		t.Run(test.name, func(t *testing.T) {
			means := baseline.Means{DBRoot: test.seconds, BulkRollback: test.seconds}
			got, ok := baseline.Nearest(means, layouts, test.previous)
			if !ok || got.Layout != test.want {
				t.Errorf("nearest %+v, want %s", got, test.want)
			}
		})
	}
}

func TestNearestComparesTheKindsThatWereMeasured(t *testing.T) {
	fast := asMeasured(layout(t, baseline.NFSHALowLatencyBulkRollback))
	if got := assess(t, without(fast, topology.KindDBRoot)); got.Layout == nil || got.Layout.Layout != baseline.NFSHALowLatencyBulkRollback {
		t.Errorf("bulkRollback alone gave %+v", got.Layout)
	}
	if _, ok := baseline.Nearest(baseline.Means{}, baseline.Published(), baseline.Local); ok {
		t.Error("nothing measured, yet a layout is nearest")
	}
	if _, ok := baseline.Nearest(baseline.Means{DBRoot: 1e-3}, nil, ""); ok {
		t.Error("no layout, yet one is nearest")
	}
}

func TestUnmeasuredDirectoriesDoNotCount(t *testing.T) {
	good := asMeasured(layout(t, baseline.NFSHA))
	for name, spoil := range map[string]func(*baseline.Directory){
		"hung":     func(d *baseline.Directory) { d.Operation, d.InFlight = "read", time.Minute },
		"failing":  func(d *baseline.Directory) { d.Success = new(false) },
		"unproven": func(d *baseline.Directory) { d.DeviceRatio = new(0.1) },
		"waiting":  func(d *baseline.Directory) { d.Read, d.Success = nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			directories := slices.Clone(good)
			spoil(&directories[0])
			got := assess(t, directories)
			if string(got.Directories[0].Word) != name || string(got.Verdict.Word) != name && got.Verdict.Word != baseline.Slow {
				t.Errorf("directory %+v, node %+v", got.Directories[0], got.Verdict)
			}
			if seconds, ok := got.Forecast.Seconds(baseline.Now); ok {
				t.Errorf("predicted %v s although the latency of DBroot 1 is unknown", seconds)
			}
			if got.Layout == nil || got.Layout.Layout != baseline.NFSHA {
				t.Errorf("nearest layout %+v, want nfs_ha by the others", got.Layout)
			}
		})
	}
}
