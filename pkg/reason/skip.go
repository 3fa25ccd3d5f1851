package reason

// Skip is why a run that was due was not begun: a value of the closed set of the label reason of the skipped counters of
// latency runs and throughput tests.
type Skip string

// The closed set.
const (
	// SkipInFlight: the run before, or one request of it, has not ended.
	SkipInFlight Skip = "in_flight"
	// SkipTrial: heavy work that must not be disturbed is under way.
	SkipTrial Skip = "trial"
	// SkipImport: a cpimport runs.
	SkipImport Skip = "import"
	// SkipBusy: the device under the directory works for others.
	SkipBusy Skip = "busy"
	// SkipDiskSpace: too little would be left free.
	SkipDiskSpace Skip = "disk_space"
	// SkipAbsent: there is no such directory.
	SkipAbsent Skip = "absent"
	// SkipMount: the directory is no longer on the mount it was found on.
	SkipMount Skip = "mount"
	// SkipWorker: the process that touches the storage could not do it.
	SkipWorker Skip = "worker"
)

// LatencySkips returns why latency runs are skipped, in the order of the contract.
func LatencySkips() []Skip {
	return []Skip{SkipInFlight, SkipTrial, SkipAbsent, SkipMount, SkipWorker}
}

// ThroughputSkips returns why throughput tests are skipped, in the order of the contract.
func ThroughputSkips() []Skip {
	return []Skip{SkipImport, SkipTrial, SkipBusy, SkipDiskSpace, SkipInFlight, SkipAbsent, SkipMount, SkipWorker}
}
