package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
)

// scrapeBound and exitBound are generous: the machine is shared.
const (
	scrapeBound = 500 * time.Millisecond
	exitBound   = 3 * time.Second
)

// series names a series of the only DBroot.
func series(name, directory string, labels ...string) string {
	return fmt.Sprintf(`storage_%s{dbroot="1",directory=%q,kind="dbroot"%s}`, name, directory, strings.Join(labels, ""))
}

// dbroot is the environment for one DBroot.
func dbroot(directory string) string { return "DBROOTS=1=" + directory }

func TestDaemonMeasuresADisk(t *testing.T) {
	dir := t.TempDir()
	p := startExporter(t, fast(dbroot(dir))...)
	p.eventually("ready", func() bool { return p.get("/-/ready") == "ready\n" })
	p.expect(series("success", dir), is(1))
	p.expect(series("read_device_ratio", dir), is(1))
	p.expect(series("commit_latency_seconds_count", dir), above(1))
	p.expect("exporter_measurement_overhead_seconds", above(0))
	if _, ok := p.metric(`storage_success{dbroot="1",directory="` + dir + `/bulkRollback",kind="bulkrollback"}`); ok {
		t.Error("an absent bulkRollback has a success series")
	}
	if _, err := os.Stat(filepath.Join(dir, "bulkRollback")); !os.IsNotExist(err) {
		t.Errorf("bulkRollback was made: %v", err)
	}
	code, took := p.stop()
	if code != 0 || took > exitBound {
		t.Errorf("exit code %d after %s\n%s", code, took, p.logs)
	}
	left, err := filepath.Glob(dir + "/.columnstore_exporter-*")
	if err != nil || len(left) != 1 || !strings.HasSuffix(left[0], ".probe") {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestDaemonPublishesInjectedLatency(t *testing.T) {
	for _, delay := range []time.Duration{700 * time.Microsecond, 3300 * time.Microsecond} {
		for _, direct := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s direct=%v", delay, direct), func(t *testing.T) {
				fs := faultfs.Mount(t, faultfs.Options{DirectIO: direct})
				fs.Set(faultfs.Read, faultfs.Fault{Delay: delay})
				p := startExporter(t, fast(dbroot(fs.Path()))...)
				p.expect(series("read_latency_seconds_count", fs.Path()), above(20))
				fastest := p.expect(series("read_run_min_seconds", fs.Path()), above(0))
				if fastest < delay.Seconds() || fastest > 3*delay.Seconds() {
					t.Errorf("minimum of %v s with %s injected: neither the cache nor anything else may answer", fastest, delay)
				}
				if _, ok := p.metric(series("read_device_ratio", fs.Path())); ok {
					t.Error("FUSE does not account: there must be no ratio")
				}
			})
		}
	}
}

// answersQuickly asks all paths that must not depend on storage.
func (p *exporterProcess) answersQuickly() {
	p.t.Helper()
	for _, path := range []string{"/metrics", "/", "/api/v1/status", "/-/healthy"} {
		begun := time.Now()
		if p.get(path) == "" {
			p.t.Errorf("%s does not answer", path)
		}
		if took := time.Since(begun); took > scrapeBound {
			p.t.Errorf("%s took %s", path, took)
		}
	}
}

func TestDaemonEndsWhileStorageHangs(t *testing.T) {
	dir := testbed.Loop(t, "xfs", 320<<20)
	p := startExporter(t, fast(dbroot(dir))...)
	p.expect(series("success", dir), is(1))
	testbed.Freeze(t, dir)
	p.expect(series("runs_skipped_total", dir, `,reason="in_flight"`), above(1))
	p.expect(series("in_flight_start_timestamp_seconds", dir), above(0))
	p.answersQuickly()
	code, took := p.stop()
	if code != 0 || took > exitBound {
		t.Errorf("exit code %d after %s\n%s", code, took, p.logs)
	}
	again := launchExporter(t, fast(dbroot(t.TempDir()), "LISTEN_ADDRESS="+p.address)...)
	again.eventually("the port is free at once", func() bool { return again.get("/-/healthy") == "healthy\n" })
}

func TestDaemonRefusesAPortThatIsTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	p := launchExporter(t, fast(dbroot(t.TempDir()), "LISTEN_ADDRESS="+taken.Addr().String())...)
	<-p.ended
	if code := p.cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(p.logs.String(), "address already in use") {
		t.Errorf("exit code %d\n%s", code, p.logs)
	}
}

func TestDaemonFollowsColumnstoreXML(t *testing.T) {
	root := t.TempDir()
	one, two := filepath.Join(root, "one"), filepath.Join(root, "two")
	for _, d := range []string{one, two} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	xml := filepath.Join(root, "Columnstore.xml")
	configure := func(directory string) {
		text := "<Columnstore><SystemConfig><DBRootCount>1</DBRootCount><DBRoot1>" + directory + "</DBRoot1></SystemConfig></Columnstore>"
		if err := os.WriteFile(xml+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(xml+".new", xml); err != nil {
			t.Fatal(err)
		}
	}
	configure(one)
	p := startExporter(t, fast("COLUMNSTORE_XML="+xml, "MODULE_FILE="+root+"/module")...)
	p.expect(series("success", one), is(1))
	configure(two)
	p.expect(series("success", two), is(1))
	if strings.Contains(p.get("/metrics"), one) {
		t.Error("series of the DBroot that left are still there")
	}
	if err := os.WriteFile(xml, []byte("<Columnstore><broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.eventually("the trouble is shown", func() bool { return p.status().Discovery != "" })
	p.expect(series("success", two), is(1))
}

func TestDaemonServesNothingElse(t *testing.T) {
	p := startExporter(t, fast(dbroot(t.TempDir()))...)
	for path, want := range map[string]int{"/": 200, "/metrics": 200, "/api/v1/status": 200, "/-/ready": 0, "/debug/pprof/": 404, "/etc/passwd": 404} {
		response, err := http.Get("http://" + p.address + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if want != 0 && response.StatusCode != want {
			t.Errorf("%s answers %s", path, response.Status)
		}
	}
}
