//go:build mariadb

package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/procfs"
)

// usage is what the daemon and its workers have at one moment, in the order of usages.
type usage [5]float64

// threads are the only usage whose bound has a slack.
const threads = "threads"

// usages are what is counted. The Go runtime's next collection comes at about twice what was in use at the last one: that
// tells the heap without its ups and downs.
func usages() [len(usage{})]string {
	return [...]string{"heap of the daemon at the next collection", "resident memory", threads, "descriptors", "files in the directories and the state directory"}
}

// look counts what there is.
func (s *soak) look() usage {
	s.t.Helper()
	u := usage{s.counters.nextGC}
	for _, pid := range append(s.workers(), s.cmd.Process.Pid) {
		process, err := procfs.NewProc(pid)
		if err != nil {
			s.t.Fatal(err)
		}
		stat, err := process.Stat()
		if err != nil {
			s.t.Fatal(err)
		}
		descriptors, err := process.FileDescriptorsLen()
		if err != nil {
			s.t.Fatal(err)
		}
		u[1] += float64(stat.ResidentMemory())
		u[2] += float64(stat.NumThreads)
		u[3] += float64(descriptors)
	}
	for _, tree := range s.trees {
		u[4] += float64(filesIn(tree))
	}
	return u
}

// workers are the daemon's children that are not imports.
func (s *soak) workers() (pids []int) {
	s.t.Helper()
	for _, pid := range children(s.t, s.cmd.Process.Pid) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // an import may have ended
		if strings.Contains(string(text), "\x00worker\x00") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// filesIn counts the files of a tree. Some go while it looks.
func filesIn(tree string) (n int) {
	_ = filepath.WalkDir(tree, func(_ string, _ fs.DirEntry, err error) error {
		if err == nil {
			n++
		}
		return nil
	})
	return n
}

// comparison is the least that was seen in two quarters of the looks. What is open for a moment comes and goes; what is kept
// raises the least.
type comparison struct {
	what         string
	second, last float64
}

func (c comparison) growth() float64 { return c.last/c.second - 1 }

// compare returns how the last quarter differs from the second. The first is the daemon's youth.
func compare(looks []usage) (all []comparison) {
	quarter := len(looks) / 4
	for i, what := range usages() {
		all = append(all, comparison{what, least(looks[quarter:2*quarter], i), least(looks[3*quarter:], i)})
	}
	return all
}

func least(looks []usage, of int) float64 {
	return slices.MinFunc(looks, func(a, b usage) int { return cmp.Compare(a[of], b[of]) })[of]
}

// number writes bytes as MiB and counts as they are.
func number(v float64) string {
	if v > 1<<20 {
		return fmt.Sprintf("%.1f MiB", v/(1<<20))
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// counters are the last values of all series that may only rise.
type counters struct {
	last   map[string]float64
	nextGC float64
	reads  int
}

// read takes over an exposition, and returns the series that have fallen.
func (c *counters) read(t testing.TB, text string) (fell []string) {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if c.last == nil {
		c.last = map[string]float64{}
	}
	c.reads++
	c.nextGC = families["go_memstats_next_gc_bytes"].GetMetric()[0].GetGauge().GetValue()
	for name, family := range families {
		for _, m := range family.GetMetric() {
			for series, value := range rising(name, m) {
				if value < c.last[series] {
					fell = append(fell, fmt.Sprintf("%s from %v to %v", series, c.last[series], value))
				}
				c.last[series] = value
			}
		}
	}
	return fell
}

// rising are the values of a metric that may only rise.
func rising(name string, m *dto.Metric) map[string]float64 {
	var pairs []string
	for _, l := range m.GetLabel() {
		pairs = append(pairs, l.GetName()+"="+strconv.Quote(l.GetValue()))
	}
	labels := "{" + strings.Join(pairs, ",") + "}"
	switch {
	case m.GetCounter() != nil:
		return map[string]float64{name + labels: m.GetCounter().GetValue()}
	case m.GetHistogram() != nil:
		h := m.GetHistogram()
		values := map[string]float64{name + "_count" + labels: float64(h.GetSampleCount()), name + "_sum" + labels: h.GetSampleSum()}
		for _, bucket := range h.GetBucket() {
			values[fmt.Sprint(name, "_bucket", bucket.GetUpperBound(), labels)] = float64(bucket.GetCumulativeCount())
		}
		return values
	}
	return nil
}

// sum adds up the series of a name, without its prefix columnstore_, that have all of these labels.
func (c *counters) sum(name string, labels ...string) (total float64) {
	for series, value := range c.last {
		rest, ok := strings.CutPrefix(series, "columnstore_"+name+"{")
		if ok && !slices.ContainsFunc(labels, func(label string) bool { return !strings.Contains(rest, label) }) {
			total += value
		}
	}
	return total
}
