package main

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/figures"
)

// scaleWindow is how long each figure is taken: longer than a minute, so that each directory's run begins and ends in it.
var scaleWindow = flag.Duration("window", 2*time.Minute, "time over which cost and scale are measured")

// hangable is how many of 1,000 directories lie on file systems that can be made to hang.
const hangable = 50

// estate is directories over many file systems.
type estate struct {
	directories []string
	mounts      int
	fuse        []*faultfs.FS
}

// newEstate makes so many directories: a twentieth on FUSE, ten on each, the others on tmpfs and on loop devices by turns,
// about twenty on each.
func newEstate(b *testing.B, directories int) *estate {
	b.Helper()
	e := &estate{}
	for len(e.directories) < directories*hangable/1000 {
		f := faultfs.Mount(b, faultfs.Options{})
		e.fuse = append(e.fuse, f)
		e.fill(b, f.Path(), 10)
	}
	mounts := max(1, directories/20)
	for e.mounts < mounts {
		mount := testbed.Memory
		if e.mounts%2 == 0 {
			mount = func(t testing.TB) string { return testbed.LoopInMemory(t, "ext4", 64<<20) }
		}
		left := mounts - e.mounts
		e.fill(b, mount(b), (directories-len(e.directories)+left-1)/left)
	}
	return e
}

func (e *estate) fill(b *testing.B, mountpoint string, n int) {
	b.Helper()
	e.mounts++
	for i := range n {
		directory := filepath.Join(mountpoint, strconv.Itoa(i))
		if err := os.Mkdir(directory, 0o750); err != nil {
			b.Fatal(err)
		}
		e.directories = append(e.directories, directory)
	}
}

// environment has each directory asked once a second all the time. One is a DBroot, as a node has one at least.
func (e *estate) environment() []string {
	var extra []string
	for i, directory := range e.directories[1:] {
		extra = append(extra, fmt.Sprintf("%d=%s", i, directory))
	}
	return []string{
		"DBROOTS=" + e.directories[0], "EXTRA_DIRECTORIES=" + strings.Join(extra, ","), "LATENCY_COUNT=54", "COMMIT_COUNT=5", "LATENCY_INTERVAL=1m",
	}
}

// BenchmarkScale measures the daemon with 10, 100 and 1,000 directories.
func BenchmarkScale(b *testing.B) {
	s := figures.New(b, "Scale: a thousand directories", "make bench-scale")
	s.Say(`The daemon with 10, 100 and 1,000 directories over 1, 5 and 50 file systems (tmpfs, ext4 on loop devices in memory, FUSE), each
		asked once a second all the time: 54 reads and 5 commits a minute. Processor time and lag are taken over %v. In the last column 50 of
		the 1,000 directories, on five FUSE file systems, do not answer. A scrape is the median of eleven, by a client on the same machine
		that asks as Prometheus 3 does, compressed. Aimed at with 1,000: 99 %% of requests within 5 ms of
		their time, 40 %% of one core, 500 MiB, a scrape of 250 ms and 20 MB, 1 MB compressed, and no effect of the hung ones on the
		others.`, *scaleWindow)
	program := build(b)
	for b.Loop() {
		var columns []scale
		for _, n := range []int{10, 100, 1000} {
			b.Run(strconv.Itoa(n), func(b *testing.B) { columns = append(columns, measureScale(b, program, n)...) })
		}
		s.Table(tableOf(columns))
		s.Image(plot(b, columns), "Processor time and memory a directory against the number of directories")
	}
	s.Publish()
}

// scale is what one number of directories costs.
type scale struct {
	directories, hung int
	start             time.Duration // until each has been measured
	requests          float64       // a second
	inTime            float64       // share of requests within 5 ms of their time
	core              float64       // share of one
	memory            float64       // MiB
	scrape            time.Duration
	bytes, compressed int
	failed            int // directories that do not hang and whose last run failed
}

func measureScale(b *testing.B, program string, n int) []scale {
	b.Helper()
	e := newEstate(b, n)
	p := launch(b, program, append(e.environment(), "LISTEN_ADDRESS="+testbed.FreeAddress(b))...)
	begun := time.Now()
	p.await("every directory has been measured", 5*time.Minute, func() bool { return p.get("/-/ready") == "ready\n" })
	start := time.Since(begun)
	time.Sleep(2 * time.Minute) // the first run stands for one on the grid, so the pace is steady after the third
	first := p.scale(n, 0)
	first.start = start
	if n < 1000 {
		return []scale{first}
	}
	for _, f := range e.fuse {
		f.Hang(faultfs.Read)
	}
	p.await("directories hang", 2*time.Minute, func() bool { return p.hanging() >= hangable })
	return []scale{first, p.scale(n, hangable)}
}

// await polls once a second: looking often would be load.
func (p *exporterProcess) await(what string, bound time.Duration, holds func() bool) {
	p.t.Helper()
	for begun := time.Now(); !holds(); time.Sleep(time.Second) {
		if time.Since(begun) > bound {
			p.t.Fatalf("gave up waiting for: %s\n%s", what, p.logs.String())
		}
	}
}

// hanging counts the directories with an operation that has been in flight for five seconds.
func (p *exporterProcess) hanging() (n int) {
	p.t.Helper()
	for _, since := range p.all("storage_in_flight_start_timestamp_seconds") {
		if since > 0 && float64(time.Now().Unix())-since > 5 {
			n++
		}
	}
	return n
}

// all returns the values of all series of a family, in order.
func (p *exporterProcess) all(family string) (values []float64) {
	p.t.Helper()
	for line := range strings.Lines(p.get("/metrics")) {
		if !strings.HasPrefix(line, "columnstore_"+family+"{") {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]), 64)
		if err != nil {
			p.t.Fatal(err)
		}
		values = append(values, v)
	}
	return values
}

// scale measures the daemon for a while.
func (p *exporterProcess) scale(directories, hung int) scale {
	p.t.Helper()
	s := scale{directories: directories, hung: hung}
	inTime, requests := p.lag()
	used, begun := p.processorTime(), time.Now()
	time.Sleep(*scaleWindow)
	elapsed := time.Since(begun).Seconds()
	s.core = (p.processorTime() - used).Seconds() / elapsed
	inTimeAfter, requestsAfter := p.lag()
	s.requests = (requestsAfter - requests) / elapsed
	s.inTime = (inTimeAfter - inTime) / (requestsAfter - requests)
	for _, pid := range p.processes() {
		s.memory += proportionalSet(p.t, pid)
	}
	var scrapes []float64
	for range 11 {
		begun := time.Now()
		s.compressed = p.scrape("gzip")
		scrapes = append(scrapes, time.Since(begun).Seconds())
	}
	s.scrape = time.Duration(figures.Quantile(scrapes, 0.5) * float64(time.Second))
	s.bytes = p.scrape("identity")
	for _, success := range p.all("storage_success") {
		if success == 0 {
			s.failed++
		}
	}
	return s
}

// lag is how many requests have started within 5 ms of their time, and how many in all.
func (p *exporterProcess) lag() (inTime, all float64) {
	p.t.Helper()
	text := p.get("/metrics")
	inTime, _ = valueIn(p.t, text, `exporter_schedule_lag_seconds_bucket{le="0.005"}`)
	all, _ = valueIn(p.t, text, "exporter_schedule_lag_seconds_count")
	return inTime, all
}

// prometheusAccepts are the formats that Prometheus 3 asks for, the first of which it gets.
const prometheusAccepts = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6," +
	"text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,*/*;q=0.1"

// scrape returns the bytes of a scrape with that encoding.
func (p *exporterProcess) scrape(encoding string) int {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, "http://"+p.address+"/metrics", http.NoBody)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Accept", prometheusAccepts)
	request.Header.Set("Accept-Encoding", encoding)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	n, err := io.Copy(io.Discard, response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		p.t.Fatalf("scrape: status %d, %v", response.StatusCode, err)
	}
	return int(n)
}

// tableOf has a column for each number of directories.
func tableOf(columns []scale) (header []string, rows [][]string) {
	lines := []struct {
		name string
		of   func(scale) string
	}{
		{"requests a second", func(s scale) string { return fmt.Sprintf("%.1f", s.requests) }},
		{"within 5 ms of their time, %", func(s scale) string { return fmt.Sprintf("%.2f", 100*s.inTime) }},
		{"processor time, % of one core", func(s scale) string { return fmt.Sprintf("%.2f", 100*s.core) }},
		{"memory (PSS), MiB", func(s scale) string { return fmt.Sprintf("%.1f", s.memory) }},
		{"scrape, ms", func(s scale) string { return fmt.Sprintf("%.1f", s.scrape.Seconds()*1e3) }},
		{"scrape, MB", func(s scale) string { return fmt.Sprintf("%.2f", float64(s.bytes)/1e6) }},
		{"scrape compressed, MB", func(s scale) string { return fmt.Sprintf("%.3f", float64(s.compressed)/1e6) }},
		{"directories that fail", func(s scale) string { return strconv.Itoa(s.failed) }},
		{"start to all measured, s", func(s scale) string { return fmt.Sprintf("%.1f", s.start.Seconds()) }},
	}
	header = []string{"directories"}
	for _, c := range columns {
		name := strconv.Itoa(c.directories)
		if c.hung > 0 {
			name += fmt.Sprintf(", %d hung", c.hung)
		}
		header = append(header, name)
	}
	for _, line := range lines {
		row := []string{line.name}
		for _, c := range columns {
			row = append(row, line.of(c))
		}
		rows = append(rows, row)
	}
	return header, rows
}
