//go:build linux

package ingest

import "time"

// firstDelay is how long after its start the exporter runs the first trial.
const firstDelay = time.Minute

// NextDue returns when the first trial of a process is due that started at the given time and remembers the last trial
// (the zero time for none): one minute after its start, or, when the last trial is younger than that, one interval after
// it. A last trial in the future, as after a step of the clock, does not count.
func NextDue(started, last time.Time, interval time.Duration) time.Time {
	first := started.Add(firstDelay)
	if last.IsZero() || last.After(started) {
		return first
	}
	if next := last.Add(interval); next.After(first) {
		return next
	}
	return first
}
