package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/report"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// encode returns the JSON form without white space.
func encode(t *testing.T, r report.Report) string {
	t.Helper()
	var indented, compact bytes.Buffer
	if err := r.WriteJSON(&indented); err != nil {
		t.Fatal(err)
	}
	if err := json.Compact(&compact, indented.Bytes()); err != nil {
		t.Fatal(err)
	}
	return compact.String()
}

func TestJSON(t *testing.T) {
	var b strings.Builder
	if err := assessed(whole()).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	mustEqualFile(t, "whole.json", b.String())
}

func TestJSONMatchesTheSchema(t *testing.T) {
	absent := rollback("1")
	absent.Facts.State = topology.StateAbsent
	for name, s := range map[string]status.Snapshot{
		"healthy": picture(answers(dbroot("1"), 450e-6)), "whole": whole(), "absent": picture(absent), "missing": picture(missing(dbroot("1"))), "nothing": picture(),
	} {
		t.Run(name, func(t *testing.T) {
			if err := testbed.MatchesSchema(schemaFile, []byte(encode(t, assessed(s)))); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestExitCode(t *testing.T) {
	slow, fast := answers(dbroot("1"), 3.3e-3), answers(dbroot("1"), 450e-6)
	absent := rollback("1")
	absent.Facts.State = topology.StateAbsent
	with := func(change func(*status.Target)) status.Snapshot {
		target := answers(dbroot("1"), 450e-6)
		change(&target)
		return picture(target)
	}
	trial := func(change func(*status.Ingest)) status.Snapshot {
		s := picture(slow)
		s.Ingest = &status.Ingest{Skipped: map[string]uint64{}, Failed: map[string]uint64{}}
		change(s.Ingest)
		return s
	}
	undiscovered := picture(fast)
	undiscovered.Discovery = "Columnstore.xml cannot be read"
	for name, test := range map[string]struct {
		picture status.Snapshot
		want    int
	}{
		"fast":                     {picture(fast), 0},
		"an absent bulkRollback":   {picture(fast, absent), 0},
		"at the guideline":         {picture(answers(dbroot("1"), 700e-6)), 0},
		"slow":                     {picture(fast, slow), 1},
		"a slow extra":             {picture(fast, answers(extra("tape", "/tape"), 0.1)), 1},
		"missing":                  {picture(slow, missing(dbroot("2"))), 2},
		"a failed request":         {with(func(t *status.Target) { t.Failed = map[string]uint64{"eio": 1} }), 2},
		"a run that failed":        {with(func(t *status.Target) { t.Success = new(false) }), 2},
		"no run":                   {with(func(t *status.Target) { t.Success, t.Read = nil, nil }), 2},
		"hung":                     {with(func(t *status.Target) { t.InFlight = &status.Operation{Name: "read", Since: noon} }), 2},
		"requests that were late":  {with(func(t *status.Target) { t.Read.Requests, t.Read.Count = 20, 19 }), 0},
		"throughput that failed":   {with(func(t *status.Target) { t.Throughput = failedThroughput() }), 2},
		"throughput":               {with(func(t *status.Target) { t.Throughput = tested() }), 0},
		"a trial":                  {trial(func(*status.Ingest) {}), 1},
		"a trial that failed":      {trial(func(i *status.Ingest) { i.Failed["locked"]++ }), 2},
		"a trial that was skipped": {trial(func(i *status.Ingest) { i.Skipped["sql"]++ }), 2},
		"no discovery":             {undiscovered, 2},
	} {
		t.Run(name, func(t *testing.T) {
			if got := assessed(test.picture).ExitCode; got != test.want {
				t.Errorf("exit code %d, want %d", got, test.want)
			}
		})
	}
}

func failedThroughput() *status.Throughput {
	run := tested()
	run.Results[0].Failure, run.Results[0].Error = "enospc", "write /x: no space left on device"
	return run
}

// deaf is a reader that has gone away.
type deaf struct{}

var errGone = errors.New("broken pipe")

func (deaf) Write([]byte) (int, error) { return 0, errGone }

func TestWriteErrors(t *testing.T) {
	r := assessed(whole())
	for name, write := range map[string]func(io.Writer) error{
		"JSON": r.WriteJSON,
		"text": func(w io.Writer) error { return r.WriteText(w, report.Style{}) },
	} {
		if err := write(deaf{}); !errors.Is(err, errGone) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// filled is a report in which every field has a value of its own kind.
func filled() report.Report {
	var r report.Report
	fill(reflect.ValueOf(&r).Elem())
	r.Schema, r.ExitCode = report.Schema, 2
	target := &r.Targets[0]
	target.Kind, target.Facts.State, target.Facts.Reason, target.IO = topology.KindExtra, topology.StatePresent, "eio", "direct"
	target.Skipped, target.Failed = map[string]uint64{"mount": 1}, map[string]uint64{"eio": 1}
	for _, v := range []*baseline.Verdict{r.Verdict, target.Verdict} {
		v.Word = baseline.Slow
	}
	target.Throughput.Diagnosis.Word = throughput.DeviceBound
	test := &target.Throughput.Results[0]
	test.Test, test.IO, test.EndedEarly, test.Failure = throughput.Write, throughput.Direct, throughput.EndedMinFree, "eio"
	r.Ingest.Trials[0].Method, r.Ingest.Trials[0].Failure = "cpimport", "locked"
	r.Ingest.Trials[0].Steps = map[string]float64{"job_load": 1, "preprocess": 1, "load": 1, "total": 1}
	r.Ingest.Skipped, r.Ingest.Failed = map[string]uint64{"locked": 1}, map[string]uint64{"killed": 1}
	r.Ingest.SkipDetails = map[string]string{"locked": "x"}
	r.Forecast.Constant.Basis, r.Forecast.Predictions[0].Scenario = baseline.NodeBasis, baseline.Now
	r.Layouts[0].Latencies[0].Kind = topology.KindDBRoot
	return r
}

// fill sets v and all below it to something that is not zero.
func fill(v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(noon))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint64:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(1)
	default: // maps are filled by hand
	}
}
