//go:build mariadb

package main

import (
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/config"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/mariadbtest"
)

var (
	dayShare     = flag.Float64("day", 0.1, "how much of a day's work TestDaemonIsHarmless watches; 1 is all of it")
	harmlessFile = flag.String("harmless-document", "", "the file into which TestDaemonIsHarmless writes what it has seen")
)

// The owner of ColumnStore's directories in the test, who has no name.
const engineUser, engineGroup = 12345, 12346

// day is how much the daemon does at its defaults in the share of a day: what is of runs, for each directory.
type day struct{ runs, reads, commits, trials int }

func aDay(t *testing.T) day {
	t.Helper()
	defaults, _, err := config.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := defaults.Settings()
	times := func(interval time.Duration) int { return int(math.Ceil(*dayShare * float64(24*time.Hour/interval))) }
	runs := times(s.Latency.Interval)
	return day{runs: runs, reads: runs * s.Latency.Count, commits: runs * s.Latency.Commits, trials: times(s.Ingest.Interval)}
}

// engineFiles are two DBroots as ColumnStore leaves them: one has had an import, the other none.
type engineFiles struct {
	root                string
	first, second, back string // the DBroots, and the bulkRollback of the first
}

func newEngineFiles(t *testing.T) engineFiles {
	t.Helper()
	t.Setenv("TMPDIR", "/dev/shm") // what is looked at is calls, not how long they take
	root := testbed.Loop(t, "xfs", 512<<20)
	e := engineFiles{root: root, first: filepath.Join(root, "data1"), second: filepath.Join(root, "data2"), back: filepath.Join(root, "data1/bulkRollback")}
	for _, file := range []string{
		"data1/000.dir/000.dir/003.dir/233.dir/000.dir/FILE000.cdf", "data1/systemFiles/dbrm/BRM_saves_em", "data1/bulkRollback/3001",
		"data2/000.dir/000.dir/003.dir/234.dir/000.dir/FILE000.cdf", "data2/versionbuffer.cdf",
	} {
		path := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Repeat(file, 1000)), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, engineUser, engineGroup)
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// inventory is all that a tree holds: what du(1) and df(1) tell of it, and how each file looks.
type inventory struct {
	Blocks int64
	Inodes uint64
	Files  map[string]string
}

// inventory looks at everything. What was changed in the directories that the exporter may use shows in their files.
func (e engineFiles) inventory(t *testing.T) inventory {
	t.Helper()
	var system unix.Statfs_t
	if err := unix.Statfs(e.root, &system); err != nil {
		t.Fatal(err)
	}
	i := inventory{Inodes: system.Files - system.Ffree, Files: map[string]string{}}
	err := filepath.WalkDir(e.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			return err
		}
		i.Blocks += st.Blocks
		look := fmt.Sprintf("%o %d:%d", st.Mode, st.Uid, st.Gid)
		if !entry.IsDir() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			look += fmt.Sprintf(" %d bytes, inode %d, changed %d.%d: %.20q", st.Size, st.Ino, st.Ctim.Sec, st.Ctim.Nsec, text)
		}
		i.Files[strings.TrimPrefix(path, e.root)] = look
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// removeProbeFiles removes the only files that may stay, and holds that they look as they should.
func (e engineFiles) removeProbeFiles(t *testing.T) {
	t.Helper()
	for _, directory := range []string{e.first, e.second, e.back} {
		path := filepath.Join(directory, probeName(t))
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			t.Fatal(err)
		}
		if st.Mode != unix.S_IFREG|0o600 || st.Uid != engineUser || st.Gid != engineGroup || st.Size != 1<<20 {
			t.Errorf("%s: mode %o, owner %d:%d, %d bytes", path, st.Mode, st.Uid, st.Gid, st.Size)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func probeName(t *testing.T) string {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	return ".columnstore_exporter-" + host + ".probe"
}

// TestDaemonIsHarmless watches all calls of a day's work, which is done faster, and of an end in the midst of an import.
func TestDaemonIsHarmless(t *testing.T) {
	engine := newEngineFiles(t)
	server := mariadbtest.Start(t)
	const rows = 50
	plan := cpimporttest.Plan{DSN: server.DSN("root", ""), Stdout: cpimporttest.Success(rows)}
	standin := cpimporttest.New(t, "standin", plan)
	before := engine.inventory(t)

	trace := filepath.Join(t.TempDir(), "trace")
	p := execute(t, underStrace(t, trace, build(t)), "DBROOTS=1="+engine.first+",2="+engine.second, "LISTEN_ADDRESS="+testbed.FreeAddress(t),
		"LATENCY_INTERVAL=160ms", "LATENCY_REQUEST_INTERVAL=4ms", "DISCOVERY_INTERVAL=200ms", "LOG_LEVEL=warn",
		"INGEST_DSN="+leastPrivileged(t, server, "day"), "INGEST_METHOD=cpimport", "CPIMPORT_PATH="+standin.Path,
		fmt.Sprintf("INGEST_ROWS=%d", rows), "INGEST_MAX_TABLE_ROWS=150")
	work := aDay(t)
	p.awaitDay(work, []string{engine.first, engine.second, engine.back})

	plan.Hang, plan.Linger, plan.Status = true, 3*time.Second, 1
	standin.Plan(t, plan)
	starts := len(standin.PIDs(t))
	p.signalDaemon(syscall.SIGUSR1)
	standin.Await(t, starts+1)
	imports := standin.PIDs(t)
	p.signalDaemon(syscall.SIGTERM)
	p.wait(patience)

	seen := newLedger(t, engine, trace, imports)
	seen.check(t)
	engine.removeProbeFiles(t)
	after := engine.inventory(t)
	for deadline := time.Now().Add(patience); after.Inodes != before.Inodes && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond) // XFS frees the inodes of removed files a moment later
		after = engine.inventory(t)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("ColumnStore's files before and after (-before +after):\n%s", diff)
	}
	t.Log("\n" + seen.body(work))
	if *harmlessFile != "" && !t.Failed() {
		testbed.Document(t, *harmlessFile, "Harmless", "make test-harmless", seen.body(work))
	}
}

// signalDaemon signals the daemon alone, which strace has started.
func (p *exporterProcess) signalDaemon(s syscall.Signal) {
	p.t.Helper()
	for _, pid := range children(p.t, p.cmd.Process.Pid) {
		if err := syscall.Kill(pid, s); err != nil {
			p.t.Fatal(err)
		}
	}
}

// awaitDay returns once a day's work is done in each of the directories. The trials are spread over it.
func (p *exporterProcess) awaitDay(work day, directories []string) {
	p.t.Helper()
	asked := 0.0
	p.patience = 30 * patience
	p.eventually("a day's work", func() bool {
		text := p.get("/metrics")
		if text == "" {
			return false
		}
		var c counters
		c.read(p.t, text)
		share := 1.0
		for _, directory := range directories {
			at := `directory="` + directory + `"`
			share = min(share, c.sum("storage_runs_total", at)/float64(work.runs),
				c.sum("storage_read_requests_total", at)/float64(work.reads), c.sum("storage_commit_requests_total", at)/float64(work.commits))
		}
		trials := c.sum("ingest_duration_seconds_count")
		if trials == asked && asked < float64(work.trials) && share >= asked/float64(work.trials) {
			p.signalDaemon(syscall.SIGUSR1)
			asked++
		}
		return share >= 1 && trials >= float64(work.trials)
	})
}
