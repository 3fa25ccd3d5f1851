package status_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

var now = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

func snapshot() status.Snapshot {
	return status.Snapshot{
		Time: now, Settings: status.Settings{LatencyTargetSeconds: 700e-6},
		Targets: []status.Target{{
			Target:  topology.Target{DBRoot: "1", Kind: topology.KindDBRoot, Directory: "/data1"},
			Facts:   topology.Facts{State: topology.StatePresent},
			Success: new(true),
			Read:    &status.Run{Count: 29, Min: 3e-3, Avg: 3.3e-3, Max: 4e-3, Mdev: 1e-4},
		}},
	}
}

func TestAssessFillsInTheConclusions(t *testing.T) {
	before := snapshot()
	got := before.Assess(baseline.Published(), "")
	if got.Layout == nil || got.Layout.Layout != baseline.NFSHA {
		t.Errorf("nearest layout %+v, want nfs_ha", got.Layout)
	}
	if got.Verdict.Word != baseline.Slow || got.Targets[0].Verdict.Word != baseline.Slow {
		t.Errorf("verdicts %+v and %+v, want slow", got.Verdict, got.Targets[0].Verdict)
	}
	if len(got.Layouts) != 3 || len(got.Forecast.Predictions) != 3 {
		t.Errorf("%d layouts and %d predictions, want 3 each", len(got.Layouts), len(got.Forecast.Predictions))
	}
	if diff := cmp.Diff(snapshot(), before); diff != "" {
		t.Errorf("the snapshot itself changed: %s", diff)
	}
}

func TestAssessJudgesWhatIsInFlight(t *testing.T) {
	s := snapshot()
	s.Targets[0].InFlight = &status.Operation{Name: "read", Since: now.Add(-time.Minute)}
	got := s.Assess(baseline.Published(), "").Targets[0].Verdict
	if got.Word != baseline.Hung || !strings.Contains(got.Sentence, "1m0s") {
		t.Errorf("verdict %+v, want hung for a minute", got)
	}
}

func TestAssessTakesTheErrorOfTheLastRunOnlyWhenItFailed(t *testing.T) {
	s := snapshot()
	s.Targets[0].Error = "read probe file /data1/x: input/output error"
	if got := s.Assess(baseline.Published(), "").Targets[0].Verdict; got.Word != baseline.Slow {
		t.Errorf("a run that measured gave %+v", got)
	}
	s.Targets[0].Success = new(false)
	if got := s.Assess(baseline.Published(), "").Targets[0].Verdict; got.Word != baseline.Failing || !strings.Contains(got.Sentence, "input/output error") {
		t.Errorf("a run that failed gave %+v", got)
	}
}

func TestAssessFitsTheTrialsThatKnowTheirLatencies(t *testing.T) {
	s := snapshot()
	means := baseline.Means{DBRoot: 1e-3, BulkRollback: 1e-3, Complete: true}
	s.Ingest = &status.Ingest{Trials: []status.Trial{
		{Trial: ingest.Trial{Seconds: 8.772 + 12}, Means: &means},
		{Trial: ingest.Trial{Seconds: 99}},
		{Trial: ingest.Trial{Seconds: 99, Failure: "locked"}, Means: &means},
	}}
	got := s.Assess(baseline.Published(), "").Forecast.Constant
	if got.Trials != 1 || got.Basis != baseline.NodeBasis || got.Seconds < 11.999 || got.Seconds > 12.001 {
		t.Errorf("constant %+v, want 12 s of 1 trial", got)
	}
}

func TestCoreRates(t *testing.T) {
	run := status.Throughput{Results: []throughput.Result{
		{Test: throughput.Write, Seconds: 10, Threads: 4, WrittenBytes: 800e6},
		{Test: throughput.Rewrite, Seconds: 10, Threads: 2, ReadBytes: 400e6, WrittenBytes: 200e6},
		{Test: throughput.ReadTest, Seconds: 10, Threads: 1, ReadBytes: 500e6},
		{Test: throughput.SkipRead, Seconds: 10, Threads: 1, ReadBytes: 500e6, Seeks: 1000},
		{Test: throughput.Overwrite, Seconds: 10, Threads: 1, WrittenBytes: 1, Failure: "enospc"},
		{Test: throughput.Overwrite},
		{Test: throughput.ReadTest, Seconds: 1, Threads: 1, ReadBytes: 9e9, DeviceRatio: new(0.1)},
	}}
	want := []baseline.CoreRate{
		{Test: "write", BytesPerSecond: 20e6},
		{Test: "rewrite in", BytesPerSecond: 20e6},
		{Test: "rewrite out", BytesPerSecond: 10e6},
		{Test: "read", BytesPerSecond: 50e6},
	}
	if diff := cmp.Diff(want, run.CoreRates()); diff != "" {
		t.Error(diff)
	}
}

func TestJSONIsSnakeCase(t *testing.T) {
	s := snapshot()
	s.Ingest = &status.Ingest{InFlight: &now, LastSkip: "locked", Trials: []status.Trial{{Means: &baseline.Means{Assumed: []string{"1"}}}}}
	s.Targets[0].Throughput = &status.Throughput{Results: []throughput.Result{{Test: throughput.Write}}}
	text, err := json.Marshal(s.Assess(baseline.Published(), ""))
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	walk(tree, func(key string) {
		if key != strings.ToLower(key) || strings.ContainsAny(key, "- ") {
			t.Errorf("key %q", key)
		}
	})
}

func walk(tree any, visit func(key string)) {
	switch node := tree.(type) {
	case map[string]any:
		for key, child := range node {
			visit(key)
			walk(child, visit)
		}
	case []any:
		for _, child := range node {
			walk(child, visit)
		}
	}
}
