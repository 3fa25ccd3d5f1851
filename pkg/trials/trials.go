//go:build linux

// Package trials runs what is heavy on schedule, one at a time: the import trials and the throughput tests. It keeps their
// results for metrics and the status page.
package trials

// The names of the jobs, as the label job has them.
const (
	jobImport     = "ingest"
	jobHealth     = "database"
	jobThroughput = "throughput"
)

// Jobs returns the names under which restarts are reported.
func Jobs() []string { return []string{jobImport, jobHealth, jobThroughput} }

// What the lane says while it is held.
const (
	laneImport     = "import"
	laneThroughput = "throughput"
)
