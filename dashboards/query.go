//go:build linux

package dashboards

import (
	"fmt"
	"strings"
)

// Labels to fold by.
const (
	byNode      = "job, instance"
	byDirectory = "job, instance, dbroot, kind, directory"
)

// window is the range of rates in graphs: never shorter than four scrapes, nor than the step of the graph.
const window = "$__rate_interval"

// query is an expression, and the name of what it gives.
type query struct{ expr, legend string }

// onNode selects a metric's series of the chosen nodes.
func onNode(metric string, matchers ...string) string {
	return metric + "{" + strings.Join(append([]string{`job=~"$job"`, `instance=~"$instance"`}, matchers...), ", ") + "}"
}

// onDBRoot selects a metric's series of the chosen DBroots on the chosen nodes.
func onDBRoot(metric string, matchers ...string) string {
	return onNode(metric, append([]string{`dbroot=~"$dbroot"`}, matchers...)...)
}

// part adds a suffix to the name of the metric that is selected.
func part(selector, suffix string) string { return strings.Replace(selector, "{", suffix+"{", 1) }

// rate is per second.
func rate(counter string) string { return "rate(" + counter + "[" + window + "])" }

// events is how often something happened around each point of a graph; where nothing did, nothing.
func events(counter string) string { return "increase(" + counter + "[" + window + "]) > 0" }

// eventsInRange is how often something happened in the time that the dashboard shows.
func eventsInRange(counter string) string { return "increase(" + counter + "[$__range])" }

// mean is a histogram's mean over a range, whichever kind of histogram was scraped.
func mean(histogram, over string) string {
	return histogramRate("sum", histogram, over) + "\n/\n" + histogramRate("count", histogram, over)
}

func histogramRate(of, histogram, over string) string {
	return fmt.Sprintf("(rate(%s[%s]) or histogram_%s(rate(%s[%s])))", part(histogram, "_"+of), over, of, histogram, over)
}

// mdev is the standard deviation as ioping names it, exact over any window thanks to the sum of squares.
func mdev(histogram string) string {
	return fmt.Sprintf("sqrt(clamp_min(\n%s\n/\n%s\n- (\n%s\n) ^ 2,\n0))",
		rate(part(histogram, "_squared_total")), histogramRate("count", histogram, window), mean(histogram, window))
}

// quantile estimates a quantile of all the histograms together, whichever kind was scraped.
func quantile(q float64, histogram string) string {
	return fmt.Sprintf("histogram_quantile(%g, sum by (le) (%s))\nor\nhistogram_quantile(%g, sum(%s))",
		q, rate(part(histogram, "_bucket")), q, rate(histogram))
}

// age is how long, at the time of the scrape, the operation had lasted whose start is given; 0 when there was none.
// With time() instead of timestamp(), what a scrape met by chance would seem to last until the next scrape.
func age(start string) string {
	return fmt.Sprintf("(timestamp(%s) - %s)\n* (%s > bool 0)", start, start, start)
}

// intervals is how many intervals ago it was; where the interval is 0, which is off, nothing.
func intervals(timestamp, interval string) string {
	return perNode("(time() - "+timestamp+")", "/", "("+interval+" > 0)")
}

// perNode compares or divides series with a series of their node.
func perNode(left, operator, right string) string {
	return left + "\n" + operator + " on (job, instance) group_left ()\n" + right
}

// fold aggregates over everything.
func fold(operator, expr string) string { return operator + "(" + expr + ")" }

// foldBy aggregates by labels.
func foldBy(labels, operator, expr string) string {
	return operator + " by (" + labels + ") (" + expr + ")"
}
