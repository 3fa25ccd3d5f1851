package transcript_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/transcript"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest"
)

const recordings = "../testdata/recordings"

// others are the recordings of the tools around cpimport.
var others = []string{"cleartablelock", "viewtablelock-none", "viewtablelock-one", "viewtablelock-table", "viewtablelock-engine-down"}

func TestEachRecordingGivesItsOutcome(t *testing.T) {
	for name, want := range cpimporttest.Recordings() {
		t.Run(name, func(t *testing.T) {
			told := replay(t, name)
			verdict := told.Judge(status(t, name), want.Rows, want.Asked)
			if verdict.Failure != want.Failure || (verdict.Text == "") != (want.Failure == "") {
				t.Errorf("verdict %+v, want failure %q", verdict, want.Failure)
			}
			got := []any{told.Inserted, told.Steps[transcript.StepPreprocess], told.Steps[transcript.StepTotal], told.WarningCount}
			if diff := cmp.Diff([]any{want.Inserted, want.Preprocess, want.Total, want.Warnings}, got); diff != "" {
				t.Errorf("inserted, preprocess, total, warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEveryRecordingIsAccountedFor(t *testing.T) {
	entries, err := os.ReadDir(recordings)
	if err != nil {
		t.Fatal(err)
	}
	judged := cpimporttest.Recordings()
	if len(entries) != 43 || len(judged)+len(others) != len(entries) {
		t.Errorf("%d recordings, %d of them judged and %d of other tools", len(entries), len(judged), len(others))
	}
	for _, entry := range entries {
		if _, found := judged[entry.Name()]; !found && !slices.Contains(others, entry.Name()) {
			t.Errorf("recording %s is not accounted for", entry.Name())
		}
	}
}

func TestStepsAddUpToTheTotal(t *testing.T) {
	told := replay(t, "success")
	want := map[string]float64{"job_load": 0.103222, "preprocess": 5.71474, "load": 4.011918, "total": 9.82988}
	if diff := cmp.Diff(want, told.Steps, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if _, found := replay(t, "sigkill").Steps[transcript.StepLoad]; found {
		t.Error("a load step without a total")
	}
}

func TestFilesOfTheEngineAreNamed(t *testing.T) {
	told := replay(t, "success")
	want := []string{
		"/var/log/mariadb/columnstore/cpimport/Job_901.log",
		"/var/log/mariadb/columnstore/data/bulk/tmpjob/3000_D20261130_T142558_S058576_Job_901.xml",
	}
	if diff := cmp.Diff(want, []string{told.LogFile, told.JobFile}); diff != "" {
		t.Errorf("log and job file (-want +got):\n%s", diff)
	}
}

// replay reads a recording's streams, in pieces that cut lines and control sequences apart.
func replay(t *testing.T, name string) transcript.Transcript {
	t.Helper()
	parser := transcript.NewParser()
	stdout, stderr := parser.Stdout(), parser.Stderr()
	for rest := read(t, name, "stdout"); rest != ""; {
		n := min(7, len(rest))
		_, _ = stdout.Write([]byte(rest[:n]))
		rest = rest[n:]
	}
	_, _ = stderr.Write([]byte(read(t, name, "stderr")))
	return parser.Transcript()
}

// status returns a recorded exit status as the kernel tells it; shells write 128 and the signal.
func status(t *testing.T, name string) syscall.WaitStatus {
	t.Helper()
	code, err := strconv.Atoi(strings.TrimSpace(read(t, name, "status")))
	if err != nil {
		t.Fatal(err)
	}
	if code > 128 {
		return syscall.WaitStatus(code - 128)
	}
	return syscall.WaitStatus(code << 8)
}

func read(t *testing.T, name, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(recordings, name, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
