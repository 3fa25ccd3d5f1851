//go:build mariadb

package main

import (
	"fmt"
	"strings"
	"time"
)

// faultsIntro begins the report.
const faultsIntro = `# What was seen when things went wrong

<!-- Written by make test-faults: do not edit. -->

Each cell is one run of the daemon as it is shipped, with a run every %s on two directories: a DBroot that suffers the
fault from that moment on, and a neighbour on storage of its own that takes %s a read. In every cell

- the daemon does not fall, and answers on /metrics, /, /api/v1/status and /-/healthy from memory (slowest answer here: %s);
- what is named in the column *Seen* shows in the metrics while the fault lasts;
- when it is over, or by itself, the DBroot is measured again, without a restart;
- SIGTERM ends the daemon with exit code 0 (slowest end here: %s), and nothing is left but the probe file.

The figures of a cell are the neighbour's runs that fell due until the fault was seen (3 or fewer are two intervals; on a
shared machine it may be more), and the neighbour's mean read latency under the fault divided by what it was before (the
medians of three runs or more; — where there is no *before*). *During shutdown*, the fault begins and SIGTERM follows at once;
the figure is how long the end took, and the daemon that is started afterwards measures. *During an import trial*, runs are
left out, so that the figure counts from the end of the import, which in all cells ended well. Empty cells are
pairs that cannot be.

%s, %s, commit %s, %d of %d cells as wanted, in %s.

`

// describeFaults returns the report on the cells that were played.
func describeFaults(seen map[string]observation, begun time.Time) string {
	var b strings.Builder
	var answer, exit time.Duration
	good := 0
	for _, o := range seen {
		answer, exit = max(answer, o.answer), max(exit, o.exit)
		if !o.failed {
			good++
		}
	}
	fmt.Fprintf(&b, faultsIntro, faultInterval, neighbourDelay, answer.Round(time.Millisecond), exit.Round(10*time.Millisecond),
		begun.UTC().Format(time.DateOnly), machine(), commit(), good, len(seen), time.Since(begun).Round(time.Second))
	b.WriteString("| Fault | Storage | Seen |")
	for _, m := range moments() {
		b.WriteString(" " + string(m) + " |")
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(moments())) + "\n")
	for _, f := range faults() {
		b.WriteString(faultRow(f, seen))
	}
	return b.String()
}

func faultRow(f fault, seen map[string]observation) string {
	storage := ""
	cells := make([]string, 0, len(moments()))
	for _, m := range moments() {
		o, played := seen[cell{f, m}.name()]
		if !played {
			cells = append(cells, "")
			continue
		}
		storage = o.storage
		cells = append(cells, o.figures(m))
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", f.name, storage, f.sign.what, strings.Join(cells, " | "))
}

// figures are what the table tells of a cell.
func (o observation) figures(m moment) string {
	switch {
	case o.failed:
		return "**no**"
	case m == atShutdown:
		return fmt.Sprintf("%.2f s", o.exit.Seconds())
	case o.neighbour == 0:
		return fmt.Sprintf("%.0f, —", o.rounds)
	default:
		return fmt.Sprintf("%.0f, %.2f", o.rounds, o.neighbour)
	}
}
