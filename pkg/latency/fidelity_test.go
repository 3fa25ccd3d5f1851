package latency_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
)

const (
	fidelityPairs    = 15
	fidelityRequests = 501
	fidelityInterval = 2 * time.Millisecond
)

// heading prints what figures need to mean something: when, where and how they were got.
func heading(b *testing.B, what string) {
	b.Helper()
	revision, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		b.Fatal(err)
	}
	kernel, err := exec.Command("uname", "-srm").Output()
	if err != nil {
		b.Fatal(err)
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		b.Fatal(err)
	}
	fmt.Printf("\n%s\n%s, commit %s, %s, %d processors, %s, load %s, make bench-fidelity\n\n",
		what, time.Now().Format(time.DateTime), strings.TrimSpace(string(revision)), strings.TrimSpace(string(kernel)),
		runtime.NumCPU(), runtime.Version(), strings.Join(strings.Fields(string(load))[:3], " "))
}

// BenchmarkFidelity alternates with ioping on one directory. Single runs on a shared disk scatter, so pairs of
// neighbouring runs are compared, beside as many pairs of ioping with itself.
func BenchmarkFidelity(b *testing.B) {
	directory := b.TempDir()
	var p latency.Prober
	ours := func() time.Duration { return exporter(b, &p, directory, fidelityInterval).median() }
	theirs := func() time.Duration { return ioping(b, directory, fidelityInterval).median() }
	ours() // makes the probe file

	heading(b, fmt.Sprintf("Medians of %d O_DIRECT reads of 4 KiB, one each %v", fidelityRequests-1, fidelityInterval))
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	for b.Loop() {
		fmt.Fprintln(w, "pair\tioping\texporter\tratio\tioping\titself\tratio\t")
		var ratios, selfRatios []float64
		for i := range fidelityPairs {
			x, y := pair(i, theirs, ours)
			ratios = append(ratios, float64(y)/float64(x))
			fmt.Fprintf(w, "%d\t%v\t%v\t%.3f\t", i+1, x, y, ratios[i])
			x, y = pair(i, theirs, theirs)
			selfRatios = append(selfRatios, float64(y)/float64(x))
			fmt.Fprintf(w, "%v\t%v\t%.3f\t\n", x, y, selfRatios[i])
		}
		slices.Sort(ratios)
		slices.Sort(selfRatios)
		fmt.Fprintf(w, "median\t\t\t%.3f\t\t\t%.3f\t\n", ratios[fidelityPairs/2], selfRatios[fidelityPairs/2])
		fmt.Fprintf(w, "quartiles\t\t\t%.3f–%.3f\t\t\t%.3f–%.3f\t\n", ratios[fidelityPairs/4], ratios[fidelityPairs*3/4],
			selfRatios[fidelityPairs/4], selfRatios[fidelityPairs*3/4])
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(ratios[fidelityPairs/2], "of-ioping")
		b.ReportMetric(selfRatios[fidelityPairs/2], "ioping-of-itself")
	}
}

// pair runs first and second one after the other, each second time in the opposite order: whoever comes later must
// not have an advantage.
func pair(i int, first, second func() time.Duration) (a, b time.Duration) {
	if i%2 == 0 {
		a = first()
		return a, second()
	}
	b = second()
	return first(), b
}

// BenchmarkFidelityInjected measures storage that takes a known time, and has ioping measure it too: what both find
// beyond that time is the way to the server of the storage and back.
func BenchmarkFidelityInjected(b *testing.B) {
	onOneProcessor(b)
	heading(b, fmt.Sprintf("%d reads of a FUSE file system that takes a known time for each, less that time", fidelityRequests-1))
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	for b.Loop() {
		fmt.Fprintln(w, "injected\texporter mean\tmedian\tmin\tioping mean\tmedian\tmin\t")
		for _, delay := range []time.Duration{0, 700 * time.Microsecond, 3300 * time.Microsecond} {
			directory := slowStorage(b, delay)
			interval := delay + fidelityInterval
			fmt.Fprintf(w, "%v", delay)
			for _, c := range []*collector{exporter(b, new(latency.Prober), directory, interval), ioping(b, directory, interval)} {
				for _, d := range []time.Duration{c.mean(), c.median(), slices.Min(c.latencies)} {
					fmt.Fprintf(w, "\t%v", (d - delay).Round(100*time.Nanosecond))
				}
			}
			fmt.Fprintln(w, "\t")
		}
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
	}
}

// exporter does one run of reads.
func exporter(b *testing.B, p *latency.Prober, directory string, interval time.Duration) *collector {
	b.Helper()
	s := spec(directory)
	s.Count, s.Commits, s.Interval = fidelityRequests, 0, interval
	c := newCollector()
	result := p.Run(b.Context(), s, c)
	if result.Error != "" || result.IO != "direct" || result.DeviceRatio != nil && *result.DeviceRatio < 1 {
		b.Fatalf("the run did not measure: %+v", result)
	}
	return c
}

// iopingLine is a request as ioping prints it; a warm-up has another remark behind it.
var iopingLine = regexp.MustCompile(`(?m)time=([0-9.]+) (ns|us|ms|s)( \((?:slow|fast)\))?$`)

// ioping has ioping do the same.
func ioping(b *testing.B, directory string, interval time.Duration) *collector {
	b.Helper()
	output, err := exec.Command("ioping", "-D", "-c", strconv.Itoa(fidelityRequests), "-i", fmt.Sprint(interval.Seconds()), directory).CombinedOutput()
	if err != nil {
		b.Fatalf("ioping (install the Debian package ioping): %v\n%s", err, output)
	}
	c := newCollector()
	for _, match := range iopingLine.FindAllStringSubmatch(string(output), -1) {
		d, err := time.ParseDuration(match[1] + match[2])
		if err != nil {
			b.Fatal(err)
		}
		c.latencies = append(c.latencies, d)
	}
	if len(c.latencies) != fidelityRequests-1 {
		b.Fatalf("%d requests of ioping understood of %d:\n%s", len(c.latencies), fidelityRequests-1, output)
	}
	return c
}

// collector keeps the latencies of counted reads, in memory that is there before the run.
type collector struct{ latencies []time.Duration }

func newCollector() *collector { return &collector{make([]time.Duration, 0, fidelityRequests)} }

func (*collector) Operation(string, latency.Instant) {}

func (c *collector) Sample(s latency.Sample) {
	if !s.WarmUp {
		c.latencies = append(c.latencies, s.Latency)
	}
}

func (c *collector) median() time.Duration {
	slices.Sort(c.latencies)
	return c.latencies[len(c.latencies)/2]
}

func (c *collector) mean() time.Duration {
	var sum time.Duration
	for _, d := range c.latencies {
		sum += d
	}
	return sum / time.Duration(len(c.latencies))
}
