//go:build mariadb

package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/mariadbtest"
)

var (
	soakShare = flag.Float64("soak", 0.05, "how much of a soak TestSoak does; 1 is all of it")
	soakFile  = flag.String("soak-document", "", "the file into which TestSoak writes what it has seen")
)

// A whole soak. The intervals below are those of the defaults, compressed.
const (
	soakSamples = 2_000_000
	soakScrapes = 100_000
	soakTrials  = 2_000
	// soakLooks is how often the processes are looked at in a soak of any length.
	soakLooks = 400
	// soakGrowth is what the last quarter may have more than the second one, as a share.
	soakGrowth = 0.05
)

// soak is a daemon that ages fast, and what is seen of it.
type soak struct {
	*exporterProcess
	counters counters
	looks    []usage
	trees    []string // the directories whose files are counted

	begun                    time.Time
	samples, scrapes, trials float64 // done so far
}

// TestSoak holds that the daemon and its workers need no more of anything the longer they run, and that no counter ever
// falls. Scrapes and trials keep pace with the samples.
func TestSoak(t *testing.T) {
	s := newSoak(t)
	for !s.done() && !t.Failed() {
		s.round()
		if s.trials < s.share()*soakTrials {
			s.now()
		}
		if float64(len(s.looks)) < s.share()*soakLooks / *soakShare {
			s.looks = append(s.looks, s.look())
		}
		s.pace()
	}
	body := s.body()
	t.Log("\n" + body)
	for _, c := range compare(s.looks) {
		// Two threads more are no growth: over 26 of them they are above the bound already.
		if few := c.what == threads && c.last-c.second <= 2; c.growth() > soakGrowth && !few {
			t.Errorf("%s has grown from %s to %s", c.what, number(c.second), number(c.last))
		}
	}
	if code, took := s.stop(); code != 0 || took > exitBound {
		t.Errorf("exit code %d after %s", code, took)
	}
	if *soakFile != "" && !t.Failed() {
		testbed.Document(t, *soakFile, "Long life", "make soak", body)
	}
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	server := mariadbtest.Start(t)
	const rows = 5
	standin := cpimporttest.New(t, "standin", cpimporttest.Plan{DSN: server.DSN("root", ""), Stdout: cpimporttest.Success(rows)})
	root, state := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "data1", "bulkRollback"), 0o755); err != nil {
		t.Fatal(err)
	}
	var extra []string
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		directory := filepath.Join(root, name)
		if err := os.Mkdir(directory, 0o755); err != nil {
			t.Fatal(err)
		}
		extra = append(extra, name+"="+directory)
	}
	s := &soak{trees: []string{root, state}, begun: time.Now()}
	s.exporterProcess = launch(t, build(t), dbroot(filepath.Join(root, "data1")), "EXTRA_DIRECTORIES="+strings.Join(extra, ","),
		"LISTEN_ADDRESS="+testbed.FreeAddress(t), "STATE_DIR="+state, "LOG_LEVEL=warn",
		"LATENCY_INTERVAL=120ms", "LATENCY_COUNT=51", "LATENCY_REQUEST_INTERVAL=2ms", "COMMIT_COUNT=4", "DISCOVERY_INTERVAL=500ms",
		"INGEST_DSN="+leastPrivileged(t, server, "soak"), "INGEST_METHOD=cpimport", "CPIMPORT_PATH="+standin.Path,
		fmt.Sprintf("INGEST_ROWS=%d", rows), "INGEST_MAX_TABLE_ROWS=100")
	s.eventually("ready", func() bool { return s.get("/-/ready") == "ready\n" })
	return s
}

// share is how much of a whole soak is done, by its samples.
func (s *soak) share() float64 { return s.samples / soakSamples }

func (s *soak) done() bool {
	return s.samples >= *soakShare*soakSamples && s.scrapes >= *soakShare*soakScrapes && s.trials >= *soakShare*soakTrials
}

// round scrapes as a few Prometheus servers do, and looks at the page as an operator does. One answer is read: that costs more
// than to give it.
func (s *soak) round() {
	s.t.Helper()
	const servers, each = 4, 5
	var scraping sync.WaitGroup
	for range servers {
		scraping.Go(func() {
			for range each {
				if s.get("/metrics") == "" {
					s.t.Error("a scrape went unanswered")
				}
			}
		})
	}
	scraping.Wait()
	s.scrapes += servers * each
	for _, path := range []string{"/", "/api/v1/status"} {
		if s.get(path) == "" {
			s.t.Errorf("%s went unanswered", path)
		}
	}
	s.read(s.get("/metrics"))
	s.scrapes++
}

// read learns from a scrape how far the soak is.
func (s *soak) read(text string) {
	s.t.Helper()
	for _, fell := range s.counters.read(s.t, text) {
		s.t.Errorf("a counter fell: %s", fell)
	}
	s.samples = s.counters.sum("storage_read_latency_seconds_count") + s.counters.sum("storage_commit_latency_seconds_count")
	s.trials = s.counters.sum("ingest_duration_seconds_count")
	if failed := s.counters.sum("ingest_failures_total"); failed > 0 {
		s.t.Fatalf("%v trials have failed", failed)
	}
}

// pace waits while scrapes are ahead of samples.
func (s *soak) pace() {
	if ahead := s.scrapes - s.share()*soakScrapes; ahead > 100 {
		time.Sleep(10 * time.Millisecond)
	}
}

// body is the document: what was done, and what it took.
func (s *soak) body() string {
	var b strings.Builder
	fmt.Fprintf(&b, "The daemon with %d directories on one file system, a MariaDB and a stand-in for cpimport, at compressed intervals.\n\n", 8)
	fmt.Fprintf(&b, "| done | |\n|---|--:|\n| latency samples | %.0f |\n| scrapes | %.0f |\n| import trials | %.0f |\n| looks at the processes | %d |\n| wall clock | %s |\n\n",
		s.samples, s.scrapes, s.trials, len(s.looks), time.Since(s.begun).Round(time.Second))
	fmt.Fprintf(&b, "The least that was seen in a quarter, of the daemon and its workers together. The last may exceed the second by %.0f %%.\n\n", 100*soakGrowth)
	b.WriteString("| | second quarter | last quarter | change |\n|---|--:|--:|--:|\n")
	for _, c := range compare(s.looks) {
		fmt.Fprintf(&b, "| %s | %s | %s | %+.1f %% |\n", c.what, number(c.second), number(c.last), 100*c.growth())
	}
	fmt.Fprintf(&b, "\n%d counters and counts were read %d times, and none ever fell.\n", len(s.counters.last), s.counters.reads)
	return b.String()
}
