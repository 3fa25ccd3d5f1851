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

	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/transcript"
)

const recordings = "../testdata/recordings"

// judged is what must come out of each recording of an import. A zero step was not told.
var judged = map[string]struct {
	failure  outcome.Failure
	rows     int64 // expected of the import
	inserted int64
	total    float64
	pre      float64
	asked    bool
	warnings int
}{
	"success":                      {rows: 10000, inserted: 10000, pre: 5.71474, total: 9.82988},
	"success-small-default-mode":   {rows: 1000, inserted: 1000, pre: 5.69897, total: 8.82442},
	"success-mode1":                {rows: 1000, inserted: 1000, total: 8.39371},
	"success-extended-info":        {rows: 1000, inserted: 1000, pre: 6.60083, total: 8.71736},
	"success-quiet":                {rows: 1000, inserted: 1000, pre: 5.84397, total: 7.98826},
	"success-as-root":              {rows: 1000, inserted: 1000, pre: 6.10832, total: 8.21949},
	"stdin":                        {rows: 1000, inserted: 1000, pre: 7.21823, total: 9.35833},
	"import-after-cleartablelock":  {rows: 1000, inserted: 1000, pre: 5.21741, total: 7.32537},
	"dmlproc-down":                 {rows: 1000, inserted: 1000, pre: 6.2571, total: 8.38642},
	"warnings-saturated-truncated": {rows: 1000, inserted: 1000, pre: 7.3226, total: 9.45804, warnings: 2},
	"empty-input":                  {rows: 1000, pre: 7.25438, total: 8.38302, failure: outcome.RowCount},
	"rejected-within-limit":        {rows: 1000, inserted: 990, pre: 6.9954, total: 9.12098, failure: outcome.Rejected},
	"rejected-over-limit":          {rows: 1000, pre: 7.36305, total: 9.56662, failure: outcome.Rejected},
	"truncation-is-error":          {rows: 1000, pre: 7.02259, total: 9.06159, failure: outcome.Rejected},
	"wrong-delimiter":              {rows: 1000, pre: 7.09475, total: 9.18558, failure: outcome.Rejected},
	"no-such-table":                {rows: 1000, failure: outcome.TableShape},
	"no-such-database":             {rows: 1000, failure: outcome.TableShape},
	"table-of-another-engine":      {rows: 1000, failure: outcome.TableShape},
	"no-such-file":                 {rows: 1000, failure: outcome.CSV},
	"path-with-space":              {rows: 1000, failure: outcome.CSV},
	"unreadable-file":              {rows: 1000, pre: 5.89172, total: 7.25395, failure: outcome.CSV},
	"as-other-user":                {rows: 1000, failure: outcome.Permission},
	"cwd-not-writable":             {rows: 1000, failure: outcome.Permission},
	"locked":                       {rows: 1000, failure: outcome.Locked},
	"locked-mode1":                 {rows: 1000, failure: outcome.Locked},
	"import-after-sigkill":         {rows: 1000, failure: outcome.Locked},
	"read-only":                    {rows: 1000, failure: outcome.ReadOnly},
	"read-only-mode1":              {rows: 1000, failure: outcome.ReadOnly},
	"engine-down":                  {rows: 1000, failure: outcome.NotReady},
	"sigterm-after-2s":             {rows: 10000, pre: 5.66125, total: 7.64683, asked: true, failure: outcome.Timeout},
	"sigint-after-2s":              {rows: 10000, pre: 5.45214, total: 7.32607, failure: outcome.Killed},
	"sigterm-after-7s":             {rows: 10000, pre: 5.43065, total: 8.40418, failure: outcome.Killed},
	"sigint-after-7s":              {rows: 10000, pre: 5.46356, total: 8.41632, asked: true, failure: outcome.Timeout},
	"sigkill":                      {rows: 10000, pre: 5.51688, failure: outcome.Killed},
	"worker-missing":               {rows: 1000, failure: outcome.Exec},
	"help":                         {rows: 1000, failure: outcome.Exec},
	"no-arguments":                 {rows: 1000, failure: outcome.Exec},
	"unknown-option":               {rows: 1000, failure: outcome.Exec},
}

// others are the recordings of the tools around cpimport.
var others = []string{"cleartablelock", "viewtablelock-none", "viewtablelock-one", "viewtablelock-table", "viewtablelock-engine-down"}

func TestEachRecordingGivesItsOutcome(t *testing.T) {
	for name, want := range judged {
		t.Run(name, func(t *testing.T) {
			told := replay(t, name)
			verdict := told.Judge(status(t, name), want.rows, want.asked)
			if verdict.Failure != want.failure || (verdict.Text == "") != (want.failure == "") {
				t.Errorf("verdict %+v, want failure %q", verdict, want.failure)
			}
			got := []any{told.Inserted, told.Steps[transcript.StepPreprocess], told.Steps[transcript.StepTotal], told.WarningCount}
			if diff := cmp.Diff([]any{want.inserted, want.pre, want.total, want.warnings}, got); diff != "" {
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
