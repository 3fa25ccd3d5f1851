package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// BenchmarkCost prints what the daemon costs at the defaults with 8 directories: processor time over a minute in which all
// are measured, as a share of one core, and memory as proportional set size (smaps_rollup), workers included.
func BenchmarkCost(b *testing.B) {
	var extras []string
	for i := range 8 {
		extras = append(extras, fmt.Sprintf("d%d=%s", i, b.TempDir()))
	}
	p := launch(b, build(b), "DBROOTS=", "COLUMNSTORE_XML="+filepath.Join(b.TempDir(), "none.xml"), "EXTRA_DIRECTORIES="+strings.Join(extras, ","),
		"LISTEN_ADDRESS="+testbed.FreeAddress(b))
	p.eventually("ready", func() bool { return p.get("/-/ready") == "ready\n" })
	for b.Loop() {
		before, begun := p.processorTime(), time.Now()
		time.Sleep(time.Minute)
		b.ReportMetric(100*(p.processorTime()-before)/time.Since(begun).Seconds(), "%core")
	}
	total := 0.0
	for _, pid := range p.processes() {
		pss := proportionalSet(b, pid)
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		b.Logf("%d %q: %.1f MiB", pid, name, pss)
		total += pss
	}
	b.ReportMetric(total, "MiB-PSS")
}

// processes are the daemon and its workers.
func (p *exporterProcess) processes() []int {
	return append([]int{p.cmd.Process.Pid}, children(p.t, p.cmd.Process.Pid)...)
}

// processorTime is what all processes have used, in seconds.
func (p *exporterProcess) processorTime() float64 {
	total := 0.0
	for _, pid := range p.processes() {
		process, err := procfs.NewProc(pid)
		if err != nil {
			p.t.Fatal(err)
		}
		stat, err := process.Stat()
		if err != nil {
			p.t.Fatal(err)
		}
		total += stat.CPUTime()
	}
	return total
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
