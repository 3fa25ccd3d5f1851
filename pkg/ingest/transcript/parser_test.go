package transcript_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/transcript"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest"
)

func TestNumbersWithExponentsAreRead(t *testing.T) {
	for text, want := range map[string]float64{"5e-05": 5e-05, "1.25e+02": 125, "0.126977": 0.126977, "7": 7} {
		told := parse("2026-11-30 14:41:32 (20520) INFO : Job file loaded, run time for this step : "+text+" seconds\n", "")
		if got := told.Steps[transcript.StepJobLoad]; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestNumbersThatAreNoneAreLeftOut(t *testing.T) {
	for _, text := range []string{"nan", "-1", "1e999", "1.2.3", ""} {
		told := parse("Bulk load completed, total run time : "+text+" seconds\n", "")
		if seconds, found := told.Steps[transcript.StepTotal]; found {
			t.Errorf("%q was read as %v", text, seconds)
		}
	}
}

func TestColoursAreStripped(t *testing.T) {
	told := parse("2026-11-30 14:41:32 (20520:77) INFO : \x1b[0;1mFor table a.b: 7 rows processed and 7 rows inserted.\x1b[0;39m", "")
	if !told.Counted || told.Inserted != 7 {
		t.Errorf("transcript %+v, want 7 rows inserted", told)
	}
}

func TestCompletedIsNoProofOfSuccess(t *testing.T) {
	told := parse("Bulk load completed, total run time : 9.5 seconds\n", "")
	if verdict := told.Judge(exit(0), 10, false); verdict.Failure != outcome.Exec {
		t.Errorf("verdict %+v, want failure exec", verdict)
	}
}

func TestAnImportThatFinishedAllTheSameSucceeds(t *testing.T) {
	told := parse("For table a.b: 10 rows processed and 10 rows inserted.\nReceived SIGTERM to terminate the process...\n", "")
	if verdict := told.Judge(exit(0), 10, true); verdict != (transcript.Verdict{}) {
		t.Errorf("verdict %+v, want success", verdict)
	}
}

func TestUnknownTextIsOtherWithItsLastError(t *testing.T) {
	told := parse("some INFO\n2026-11-30 14:41:32 (20520) CRIT : the moon is full [1451]\nbye\n", "Error in loading job data\n")
	verdict := told.Judge(exit(1), 10, false)
	if verdict.Failure != outcome.OtherFailure || !strings.Contains(verdict.Text, "the moon is full") {
		t.Errorf("verdict %+v, want failure other and the line of level CRIT", verdict)
	}
	if !strings.Contains(told.Text, "Error in loading job data\n") {
		t.Errorf("text %q lacks a line", told.Text)
	}
}

func TestInformationIsNoCause(t *testing.T) {
	told := parse("2026-11-30 14:41:32 (1) INFO : Unable to acquire lock, trying again\n", "")
	if told.Cause != "" {
		t.Errorf("cause %q, want none", told.Cause)
	}
}

func TestMemoryIsBoundedWhateverIsPrinted(t *testing.T) {
	warning := "2026-11-30 14:27:39 (19339) WARN : Column a.b.c; Number of character strings truncated: 5\n"
	parser := transcript.NewParser()
	stdout := parser.Stdout()
	for range 2000 {
		fmt.Fprint(stdout, strings.Repeat("x", 10_000)) // a line without an end
	}
	fmt.Fprintln(stdout)
	for range 20_000 {
		fmt.Fprint(stdout, warning)
	}
	fmt.Fprint(stdout, "the last line")
	told := parser.Transcript()
	if len(told.Text) > 1<<20 || len(told.Warnings) > 100 || told.WarningCount != 20_000 {
		t.Errorf("kept %d bytes and %d of %d warnings", len(told.Text), len(told.Warnings), told.WarningCount)
	}
	if !strings.HasPrefix(told.Text, "xxx") || !strings.HasSuffix(told.Text, "the last line\n") || !strings.Contains(told.Text, "left out") {
		t.Errorf("text from %.20q to %.20q", told.Text, told.Text[len(told.Text)-20:])
	}
}

// FuzzParser holds that no print makes the parser fail, grow, or call an import a success that does not say so.
func FuzzParser(f *testing.F) {
	for name := range cpimporttest.Recordings() {
		stdout, err := os.ReadFile(filepath.Join(recordings, name, "stdout"))
		stderr, err2 := os.ReadFile(filepath.Join(recordings, name, "stderr"))
		if err != nil || err2 != nil {
			f.Fatal(err, err2)
		}
		f.Add(stdout[:min(len(stdout), 4096)], stderr)
	}
	f.Fuzz(func(t *testing.T, stdout, stderr []byte) {
		told := parse(string(stdout), string(stderr))
		if len(told.Text) > len(stdout)+len(stderr)+2 {
			t.Errorf("%d bytes kept of %d", len(told.Text), len(stdout)+len(stderr))
		}
		for step, seconds := range told.Steps {
			if !(seconds >= 0) {
				t.Errorf("step %s of %v seconds", step, seconds)
			}
		}
		verdict := told.Judge(exit(0), 10_000, false)
		if says := bytes.Contains(bytes.ToLower(append(stdout, stderr...)), []byte("10000 rows inserted")); verdict.Failure == "" && !says && !coloured(stdout, stderr) {
			t.Errorf("success out of nothing: %+v", told)
		}
		if verdict := told.Judge(exit(1), 10_000, false); verdict.Failure == "" {
			t.Errorf("success with exit status 1: %+v", told)
		}
	})
}

// coloured tells whether a print may hold control sequences, which part words.
func coloured(streams ...[]byte) bool { return bytes.ContainsAny(bytes.Join(streams, nil), "\x1b\r") }

func parse(stdout, stderr string) transcript.Transcript {
	parser := transcript.NewParser()
	fmt.Fprint(parser.Stdout(), stdout)
	fmt.Fprint(parser.Stderr(), stderr)
	return parser.Transcript()
}

func exit(code int) syscall.WaitStatus { return syscall.WaitStatus(code << 8) }

func BenchmarkParser(b *testing.B) {
	text, err := os.ReadFile(filepath.Join(recordings, "success-extended-info", "stdout"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, _ = transcript.NewParser().Stdout().Write(text)
	}
}
