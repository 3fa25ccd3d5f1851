package baseline_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// run is a directory whose last run had these figures, in microseconds.
func run(kind topology.Kind, avg, slowest, mdev float64) baseline.Directory {
	d := measured("1", kind, avg*1e-6)
	d.Read = &baseline.Figures{Min: avg * 0.5e-6, Avg: avg * 1e-6, Max: slowest * 1e-6, Mdev: mdev * 1e-6}
	return d
}

func TestVerdictOnADirectory(t *testing.T) {
	with := func(d baseline.Directory, change func(*baseline.Directory)) baseline.Directory {
		change(&d)
		return d
	}
	good := run(topology.KindDBRoot, 450, 600, 40)
	for _, test := range []struct {
		name string
		d    baseline.Directory
		word baseline.Word
		want []string
	}{
		{"good", good, baseline.Fast, []string{"450 µs", "within the guideline of 700 µs", "mdev of 40 µs"}},
		{"at the guideline", run(topology.KindDBRoot, 700, 800, 40), baseline.Fast, nil},
		{"above it", run(topology.KindDBRoot, 3300, 3600, 90), baseline.Slow, []string{
			"3.3 ms", "4.7 times the guideline", "every directory, would cut the 10,000 x 250 import from about 30 s to about 5.5 s",
		}},
		{"one slow request", run(topology.KindDBRoot, 500, 5000, 800), baseline.Uneven, []string{"mdev of 800 µs", "slowest request took 5 ms"}},
		{"scatter below the guideline", run(topology.KindDBRoot, 100, 600, 120), baseline.Fast, nil},
		{"throughput below the minimum", with(good, func(d *baseline.Directory) {
			d.CoreRates = []baseline.CoreRate{{"read", 180e6}, {"write", 12e6}}
		}), baseline.Narrow, []string{"12 MB/s (write)", "below the minimum of 20 MB/s"}},
		{"throughput in between", with(good, func(d *baseline.Directory) {
			d.CoreRates = []baseline.CoreRate{{"read", 180e6}, {"write", 31e6}}
		}), baseline.Fast, []string{"31 MB/s (write)", "below the recommended 40 MB/s"}},
		{"throughput as recommended", with(good, func(d *baseline.Directory) {
			d.CoreRates = []baseline.CoreRate{{"read", 180e6}, {"write", 55e6}}
		}), baseline.Fast, []string{"at least 55 MB/s (write)"}},
		{"hung", with(good, func(d *baseline.Directory) {
			d.Operation, d.InFlight = "fsync", 71*time.Second
		}), baseline.Hung, []string{"Fsync has been in flight for 1m11s"}},
		{"in flight, not yet hung", with(good, func(d *baseline.Directory) {
			d.Operation, d.InFlight = "read", 300*time.Millisecond
		}), baseline.Fast, nil},
		{"failed", with(good, func(d *baseline.Directory) {
			d.Success, d.Error = new(false), "read probe file /data1/x: input/output error"
		}), baseline.Failing, []string{"read probe file /data1/x: input/output error."}},
		{"failed without a text", with(good, func(d *baseline.Directory) { d.Success = new(false) }), baseline.Failing, []string{"ended before a read was counted; none failed."}},
		{"nobody could look", with(good, func(d *baseline.Directory) {
			d.State, d.Success, d.Read, d.Error = topology.StateUnknown, nil, nil, "stat /data1: permission denied"
		}), baseline.Failing, []string{"It cannot be measured: stat /data1: permission denied."}},
		{"from a cache", with(good, func(d *baseline.Directory) { d.DeviceRatio = new(0.02) }), baseline.Unproven, []string{"Only 2 % of the bytes read", "450 µs says nothing"}},
		{"all from a cache", with(good, func(d *baseline.Directory) { d.DeviceRatio = new(0.0) }), baseline.Unproven, []string{"None of the bytes read"}},
		{"proven", with(good, func(d *baseline.Directory) { d.DeviceRatio = new(1.0) }), baseline.Fast, nil},
		{"before the first run", with(good, func(d *baseline.Directory) { d.Read, d.Success = nil, nil }), baseline.Waiting, []string{"No run has finished"}},
		{"a DBroot that is not there", with(good, func(d *baseline.Directory) {
			d.State, d.Read, d.Success = topology.StateAbsent, nil, nil
		}), baseline.Absent, []string{"mount it, or correct its path"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := assess(t, []baseline.Directory{test.d}).Directories[0]
			if got.Word != test.word {
				t.Errorf("word %q, want %q (%s)", got.Word, test.word, got.Sentence)
			}
			if !slices.Contains(baseline.Words(), got.Word) {
				t.Errorf("word %q is not in the closed set", got.Word)
			}
			for _, want := range test.want {
				if !strings.Contains(got.Sentence, want) {
					t.Errorf("sentence %q does not say %q", got.Sentence, want)
				}
			}
		})
	}
}

func TestVerdictOnBulkRollback(t *testing.T) {
	for _, test := range []struct {
		name           string
		root, rollback float64
		want           string
	}{
		{"as fast", 3300, 3300, "It is about as fast as its DBroot"},
		{"faster", 3300, 550, "It is 6 times as fast as its DBroot"},
		{"slower", 450, 3300, "It is 7.3 times as slow as its DBroot"},
	} {
		t.Run(test.name, func(t *testing.T) {
			rollback := run(topology.KindBulkRollback, test.rollback, test.rollback*1.2, 40)
			rollback.Commit = &baseline.Figures{Avg: 9e-3}
			got := assess(t, []baseline.Directory{run(topology.KindDBRoot, test.root, test.root*1.2, 40), rollback}).Directories[1].Sentence
			for _, want := range []string{test.want, "a commit takes 9 ms"} {
				if !strings.Contains(got, want) {
					t.Errorf("sentence %q does not say %q", got, want)
				}
			}
		})
	}
}

func TestVerdictOnTheNode(t *testing.T) {
	slow, fast := run(topology.KindDBRoot, 3300, 3600, 90), run(topology.KindDBRoot, 450, 600, 40)
	second := fast
	second.DBRoot = "2"
	absent := baseline.Directory{Target: topology.Target{DBRoot: "1", Kind: topology.KindBulkRollback}, State: topology.StateAbsent}
	gone := fast
	gone.State, gone.Read, gone.Success = topology.StateAbsent, nil, nil
	goneExtra := extra("gone", 1)
	goneExtra.State, goneExtra.Read, goneExtra.Success = topology.StateAbsent, nil, nil
	for _, test := range []struct {
		name        string
		directories []baseline.Directory
		word        baseline.Word
		want        []string
	}{
		{"all well", []baseline.Directory{fast, second}, baseline.Fast, []string{
			"Every directory answers within the guideline of 700 µs", "Local storage", "about 5.5 s here (with the constant of the published host, AWS, 4 vCPU, 16 GB)",
		}},
		{"one slow", []baseline.Directory{slow, second}, baseline.Slow, []string{"DBroot 1 is slow."}},
		{"slow wherever it looks", slices.Repeat([]baseline.Directory{slow}, 5), baseline.Slow, []string{"5 of 5 directories are slow."}},
		{"two slow", []baseline.Directory{slow, run(topology.KindBulkRollback, 3300, 3600, 90)}, baseline.Slow, []string{
			"DBroot 1 and bulkRollback of DBroot 1 are slow", "NFS HA", "bulkRollback on storage that answers in 590 µs would cut that to about 14 s",
		}},
		{"a slow extra is not the node's", []baseline.Directory{fast, extra("tape", 0.2)}, baseline.Fast, nil},
		{"an absent bulkRollback is normal", []baseline.Directory{fast, absent}, baseline.Fast, nil},
		{"an absent DBroot is not", []baseline.Directory{gone, absent}, baseline.Failing, []string{"DBroot 1 is failing."}},
		{"extras alone are judged", []baseline.Directory{extra("nvme", 1e-4)}, baseline.Fast, []string{"Every directory answers within"}},
		{"a slow extra alone", []baseline.Directory{extra("nvme", 1e-4), extra("tape", 0.2)}, baseline.Slow, []string{"extra:tape is slow."}},
		{"an absent extra alone", []baseline.Directory{goneExtra}, baseline.Failing, []string{"extra:gone is failing."}},
		{"an absent bulkRollback alone", []baseline.Directory{absent}, baseline.Waiting, []string{"no DBroot"}},
		{"nothing", nil, baseline.Waiting, []string{"No directory is known yet."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := assess(t, test.directories).Verdict
			if got.Word != test.word {
				t.Errorf("word %q, want %q (%s)", got.Word, test.word, got.Sentence)
			}
			for _, want := range test.want {
				if !strings.Contains(got.Sentence, want) {
					t.Errorf("sentence %q does not say %q", got.Sentence, want)
				}
			}
		})
	}
}

func TestVerdictTellsWhyNothingIsKnown(t *testing.T) {
	node := baseline.Node{Guideline: guideline, Discovery: "read /etc/columnstore/Columnstore.xml: permission denied."}
	got := baseline.Assess(node, baseline.Published(), "").Verdict
	if got.Word != baseline.Failing || !strings.Contains(got.Sentence, "Columnstore.xml: permission denied.") || strings.HasSuffix(got.Sentence, "..") {
		t.Errorf("verdict %+v", got)
	}
}

func TestSentenceSaysWhoseConstantItUses(t *testing.T) {
	directories := asMeasured(layout(t, baseline.NFSHA))
	trial := baseline.Trial{Seconds: 45, Means: baseline.MeansOf(directories)}
	if got := assess(t, directories, trial).Verdict.Sentence; !strings.Contains(got, "about 45 s here (by its own trials)") {
		t.Errorf("with a trial: %q", got)
	}
	if got := assess(t, directories).Verdict.Sentence; !strings.Contains(got, "published host") {
		t.Errorf("without one: %q", got)
	}
}

func TestRangeOfALayout(t *testing.T) {
	for _, test := range []struct {
		layout    string
		kind      topology.Kind
		low, high float64
	}{
		{baseline.Local, topology.KindDBRoot, 430e-6, 475e-6},
		{baseline.Local, topology.KindBulkRollback, 430e-6, 475e-6},
		{baseline.NFSHALowLatencyBulkRollback, topology.KindDBRoot, 3.2e-3, 3.8e-3},
		{baseline.NFSHALowLatencyBulkRollback, topology.KindBulkRollback, 490e-6, 590e-6},
		{baseline.NFSHALowLatencyBulkRollback, topology.KindExtra, 490e-6, 590e-6},
	} {
		if low, high := layout(t, test.layout).Range(test.kind); low != test.low || high != test.high {
			t.Errorf("%s %s: %v to %v, want %v to %v", test.layout, test.kind, low, high, test.low, test.high)
		}
	}
	if low, high := (baseline.Layout{}).Range(topology.KindDBRoot); low != 0 || high != 0 || math.IsNaN(low) {
		t.Errorf("an empty layout ranges from %v to %v", low, high)
	}
}
