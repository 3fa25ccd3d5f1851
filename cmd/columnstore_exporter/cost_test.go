package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/figures"
)

// BenchmarkCost measures what the daemon costs at the defaults with 8 directories on 2 file systems.
func BenchmarkCost(b *testing.B) {
	s := figures.New(b, "Cost at the defaults", "make bench-cost")
	s.Say(`Four DBroots, each with its bulkRollback, two of them on ext4 and two on XFS, both on loop devices in memory, so that what is
		written to the devices is the exporter's alone. Processor time is taken over %v, memory is the proportional set size of all processes
		(smaps_rollup) after it. The time to the first sample is that of a second start, when the probe files are there. Processor time is
		taken twice: while loops of the class SCHED_IDLE keep the processors awake, and while they halt between requests, as on a node
		that does nothing at all; a virtual machine then charges to the exporter what it takes to wake them.`, *scaleWindow)
	mounts := []string{testbed.LoopInMemory(b, "ext4", 256<<20), testbed.LoopInMemory(b, "xfs", 400<<20)}
	var roots []string
	for _, mount := range mounts {
		for _, name := range []string{"data1", "data2"} {
			roots = append(roots, filepath.Join(mount, name))
			if err := os.MkdirAll(filepath.Join(mount, name, "bulkRollback"), 0o750); err != nil {
				b.Fatal(err)
			}
		}
	}
	start := func() *exporterProcess {
		return launch(b, build(b), "DBROOTS="+strings.Join(roots, ","), "LISTEN_ADDRESS="+testbed.FreeAddress(b))
	}
	fill := start()
	fill.await("probe files", patience, func() bool { return fill.requests() >= 8 })
	fill.stop()
	for b.Loop() {
		s.Table(strings.Split("|measured|at most|holds", "|"), measureCost(b, start(), mounts, roots))
	}
	s.Publish()
}

func measureCost(b *testing.B, p *exporterProcess, mounts, roots []string) (rows [][]string) {
	b.Helper()
	add := func(name, format string, value, most float64) {
		rows = append(rows, []string{name, fmt.Sprintf(format, value), fmt.Sprintf(format, most), figures.Verdict(value <= most)})
	}
	begun := time.Now()
	for p.requests() == 0 {
		time.Sleep(2 * time.Millisecond)
	}
	add("start to the first sample, ms", "%.0f", time.Since(begun).Seconds()*1e3, 300)
	p.await("every directory has been measured", patience, func() bool { return p.get("/-/ready") == "ready\n" })
	time.Sleep(time.Minute) // the first runs are out of step
	files, written, runs := identities(b, roots), writtenTo(b, mounts), p.runs()
	sleep := testbed.Awake(b)
	all, daemon := p.usage()
	sleep()
	add("processor time, % of one core", "%.3f", all, 0.3)
	rows = append(rows, []string{"of that the daemon's, %", fmt.Sprintf("%.3f", daemon), "", ""})
	all, _ = p.usage()
	add("the same where processors halt, %", "%.3f", all, 0.3)
	memory := 0.0
	for _, pid := range p.processes() {
		memory += proportionalSet(b, pid)
	}
	add("memory, MiB", "%.1f", memory, 35)
	for i, after := range writtenTo(b, mounts) {
		perMount := (p.runs() - runs) / float64(len(mounts))
		add("written a run and directory, KB, "+[]string{"ext4", "XFS"}[i], "%.1f", float64(after-written[i])/1e3/perMount, 100)
	}
	changed := 0.0
	for path, before := range files {
		if identities(b, roots)[path] != before {
			changed++
		}
	}
	add("probe files written again", "%.0f", changed, 0)
	return rows
}

// requests is how many reads have been started in all directories.
func (p *exporterProcess) requests() float64 { return total(p.all("storage_read_requests_total")) }

// runs is how many latency runs have begun in all directories.
func (p *exporterProcess) runs() float64 { return total(p.all("storage_runs_total")) }

func total(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// identity tells one writing of a file from the next.
type identity struct {
	inode    uint64
	modified unix.Timespec
}

// identities are those of the probe files.
func identities(b *testing.B, roots []string) map[string]identity {
	b.Helper()
	out := make(map[string]identity)
	for _, root := range roots {
		for _, pattern := range []string{".columnstore_exporter-*.probe", "bulkRollback/.columnstore_exporter-*.probe"} {
			paths, err := filepath.Glob(filepath.Join(root, pattern))
			if err != nil || len(paths) != 1 {
				b.Fatalf("probe files in %s: %v, %v", root, paths, err)
			}
			var st unix.Stat_t
			if err := unix.Stat(paths[0], &st); err != nil {
				b.Fatal(err)
			}
			out[paths[0]] = identity{st.Ino, st.Mtim}
		}
	}
	return out
}

// writtenTo returns the bytes that were written to the devices of the file systems.
func writtenTo(b *testing.B, mounts []string) (bytes []uint64) {
	b.Helper()
	for _, mount := range mounts {
		var st unix.Stat_t
		if err := unix.Stat(mount, &st); err != nil {
			b.Fatal(err)
		}
		text, err := os.ReadFile(fmt.Sprintf("/sys/dev/block/%d:%d/stat", unix.Major(st.Dev), unix.Minor(st.Dev)))
		if err != nil {
			b.Fatal(err)
		}
		sectors, err := strconv.ParseUint(strings.Fields(string(text))[6], 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		bytes = append(bytes, sectors*512)
	}
	return bytes
}

// processes are the daemon and its workers.
func (p *exporterProcess) processes() []int {
	return append([]int{p.cmd.Process.Pid}, children(p.t, p.cmd.Process.Pid)...)
}

// processorTime is what all processes have used. The kernel keeps it to the nanosecond, threads that ended included.
func (p *exporterProcess) processorTime() (total time.Duration) {
	p.t.Helper()
	for _, pid := range p.processes() {
		total += p.processorTimeOf(pid)
	}
	return total
}

// usage is what all processes use, and what the daemon does, in percent of one core, over a while.
func (p *exporterProcess) usage() (all, daemon float64) {
	p.t.Helper()
	used, usedByDaemon := p.processorTime(), p.processorTimeOf(p.cmd.Process.Pid)
	time.Sleep(*scaleWindow)
	share := func(used time.Duration) float64 { return 100 * used.Seconds() / scaleWindow.Seconds() }
	return share(p.processorTime() - used), share(p.processorTimeOf(p.cmd.Process.Pid) - usedByDaemon)
}

func (p *exporterProcess) processorTimeOf(pid int) time.Duration {
	p.t.Helper()
	var used unix.Timespec
	// The clock of the processor time of another process, as in linux/posix-timers.h.
	if err := unix.ClockGettime(int32(^pid<<3|2), &used); err != nil {
		p.t.Fatal(err)
	}
	return time.Duration(used.Nano())
}

// proportionalSet is a process's memory in MiB, shared pages divided among those who share them.
func proportionalSet(tb testing.TB, pid int) float64 {
	process, err := procfs.NewProc(pid)
	if err != nil {
		tb.Fatal(err)
	}
	maps, err := process.ProcSMapsRollup()
	if err != nil {
		tb.Fatal(err)
	}
	return float64(maps.Pss) / (1 << 20)
}
