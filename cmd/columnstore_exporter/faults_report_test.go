//go:build mariadb

package main

import (
	"fmt"
	"strings"
	"time"
)

// faultsIntro begins the report.
const faultsIntro = `Each cell of the table is one run of the daemon as it is shipped, with a run every %s on two directories: a DBroot that
suffers the fault from that moment on, and a neighbour on storage of its own, which takes %s a read. In every cell

- the daemon does not fall, and answers on /metrics, /, /api/v1/status and /-/healthy (slowest answer here: %s);
- what is named in the column *Seen* shows in the metrics while the fault lasts;
- when it is over, or by itself, the DBroot is measured again, without a restart of the daemon;
- SIGTERM ends the daemon with exit code 0 (slowest end here: %s), and nothing is left but the probe files.

%d of %d cells went so, in %s; **no** marks the others.

The first figure of a cell is how many runs of the neighbour fell due until the fault was seen: up to 3 is within two
intervals; where others use the machine, it may be more. The second is the neighbour's mean read latency under the fault,
divided by what it was before, the medians of three runs each; at the start there is no before. *During an import trial* runs
are left out, so the count begins at the end of the import, which went well in every cell. *During shutdown* SIGTERM follows
the fault at once; the figure is how long the end took, and a daemon that is started afterwards measures. A pair that cannot
be has an empty cell.

`

// describeFaults returns the report on the scenes that were played.
func describeFaults(seen map[string]observation, took time.Duration) string {
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
		good, len(seen), took.Round(time.Second))
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
		o, played := seen[scene{f, m}.name()]
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
