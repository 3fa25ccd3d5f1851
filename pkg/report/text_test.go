package report_test

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/report"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

var update = flag.Bool("update", false, "write the golden files anew")

func text(t *testing.T, r report.Report, style report.Style) string {
	t.Helper()
	var b strings.Builder
	if err := r.WriteText(&b, style); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// mustEqualFile compares with a golden file, or writes it with -update.
func mustEqualFile(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs; `go test ./pkg/report -update` writes it anew (-want +got):\n%s", path, diff)
	}
}

// whole is a node with everything that a report can tell.
func whole() status.Snapshot {
	s := onNFS()
	s.Targets[4].Throughput, s.Ingest = tested(), imported()
	return s
}

func TestText(t *testing.T) {
	hung := answers(dbroot("1"), 3.3e-3)
	hung.InFlight = &status.Operation{Name: "read", Since: noon.Add(-5 * time.Second)}
	hung.Read = run(12, 11, 3.3e-3)
	failing := dbroot("2")
	failing.Success, failing.IO, failing.Error = new(false), "direct", "read 4096 bytes of /data2/x: input/output error"
	failing.Failed = map[string]uint64{"eio": 30, "enospc": 1}
	uneven := answers(dbroot("3"), 450e-6)
	uneven.Read, uneven.Commit = run(28, 26, 450e-6), run(4, 4, 2e-3)
	uneven.Error, uneven.Failed = "read 4096 bytes of /data3/x: stale file handle", map[string]uint64{"estale": 1}
	late := answers(extra("", "/tmp/a\nb"), 450e-6)
	late.Read = run(2, 1, 1.5)
	broken := picture(hung, failing, uneven)
	broken.Discovery = "read /etc/columnstore/Columnstore.xml: permission denied"
	broken.Notes = []string{"The module file is not readable: all DBroots are taken for this node's."}
	broken.Ignored = []topology.Ignored{
		{Element: "DBRoot4", Value: "relative", Reason: "the path is relative", Mistake: true},
		{Element: "BulkRollbackDir", Value: "/x", Reason: "the engine ignores it"},
	}
	for name, s := range map[string]status.Snapshot{
		"healthy.txt":   picture(answers(dbroot("1"), 450e-6), answers(rollback("1"), 440e-6)),
		"whole.txt":     whole(),
		"broken.txt":    broken,
		"arguments.txt": picture(late, missing(extra("", "/nope"))),
		"nothing.txt":   picture(),
	} {
		t.Run(name, func(t *testing.T) { mustEqualFile(t, name, text(t, assessed(s), report.Style{})) })
	}
}

func TestTextOfAnInterruptedCheck(t *testing.T) {
	s := picture(answers(dbroot("1"), 450e-6))
	s.Targets[0].Read = run(9, 8, 450e-6)
	got := text(t, report.New(s.Assess(baseline.Published(), ""), true), report.Style{})
	for _, want := range []string{"not begun: 21 of 30 reads\n", "8 of 29", "interrupted: these are the figures until then\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestColour(t *testing.T) {
	r := assessed(whole())
	plain, coloured := text(t, r, report.Style{}), text(t, r, report.Style{Colour: true})
	if strings.Contains(plain, "\x1b") {
		t.Error("escape sequences without colour")
	}
	for _, want := range []string{"\x1b[33mslow\x1b[0m: It answers", "\x1b[32mfast\x1b[0m", "\x1b[1;31mtrial 2 failed\x1b[0m", "\x1b[1m--- db-2 (pm2) ---\x1b[0m\n", "  absent\n"} {
		if !strings.Contains(coloured, want) {
			t.Errorf("no %q in\n%s", want, coloured)
		}
	}
	for _, sgr := range []string{"1", "1;31", "32", "33", "0"} {
		coloured = strings.ReplaceAll(coloured, "\x1b["+sgr+"m", "")
	}
	if diff := cmp.Diff(plain, coloured); diff != "" {
		t.Errorf("colour changes the text: %s", diff)
	}
}

func TestSentencesAreBrokenToTheWidth(t *testing.T) {
	r := assessed(picture(answers(dbroot("1"), 3.3e-3)))
	broken := text(t, r, report.Style{Width: 60, Colour: true})
	for line := range strings.Lines(broken) {
		if strings.HasPrefix(line, "\x1b[33mslow") && len(line) > len("\x1b[33m\x1b[0m\n")+60 {
			t.Errorf("wider than 60: %q", line)
		}
	}
	if one := strings.Join(strings.Fields(broken), " "); one != strings.Join(strings.Fields(text(t, r, report.Style{Colour: true})), " ") {
		t.Error("breaking changes the words")
	}
}

func TestBreakingKeepsThePaths(t *testing.T) {
	r := assessed(picture(answers(extra("", "/tmp/a  b"), 3.3e-3)))
	if got := text(t, r, report.Style{Width: 120}); !strings.Contains(got, "/tmp/a  b is slow.\n") {
		t.Errorf("the path is not as it was in\n%s", got)
	}
}

func TestTextOfExtremesHasNoNaN(t *testing.T) {
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64, math.MaxFloat64} {
		s := whole()
		for i := range s.Targets {
			target := &s.Targets[i]
			target.Read = &status.Run{Count: 1, Requests: 2, Min: v, Avg: v, Max: v, Mdev: v, Elapsed: v, Quantiles: &status.Quantiles{P50: v, P95: v, P99: v}}
			target.DeviceRatio = &v
		}
		s.Targets[4].Throughput.Results = []throughput.Result{{
			Test: throughput.Write, Seconds: v, Threads: 1, WrittenBytes: 1, CPU: v, IOWait: v, CRC: v, DeviceRatio: &v,
			Device: &iostat.Device{QueueLength: v, Utilization: v, Read: &iostat.Direction{RequestsPerSecond: v, AwaitSeconds: v, MergedRatio: v}},
			NFS:    &iostat.NFS{Read: &iostat.Calls{CallsPerSecond: v, RTTSeconds: v}},
		}}
		s.Ingest.Trials[0].Seconds = v
		got := text(t, assessed(s), report.Style{})
		for _, word := range []string{"NaN", "Inf"} {
			if strings.Contains(got, word) {
				t.Errorf("%s for %v in\n%s", word, v, got)
			}
		}
	}
}
