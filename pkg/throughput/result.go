//go:build linux

package throughput

// Test names one test.
type Test string

// The tests, in the order in which they run.
const (
	Write     Test = "write"     // extends files
	Overwrite Test = "overwrite" // writes over blocks that are allocated
	Rewrite   Test = "rewrite"   // reads a block and writes it back
	ReadTest  Test = "read"
	SkipRead  Test = "skipread" // reads blocks that do not follow one another
)

// Result is what one test of one directory measured.
type Result struct {
	Test    Test    `json:"test"`
	Seconds float64 `json:"seconds"`
	Threads int     `json:"threads"`
	// ReadBytes and WrittenBytes are the bytes moved, Seeks the blocks of skipread.
	ReadBytes    int64 `json:"read_bytes"`
	WrittenBytes int64 `json:"written_bytes"`
	Seeks        int64 `json:"seeks"`
	// CPU, IOWait and CRC are shares of one core-second per thread-second.
	CPU    float64 `json:"cpu_ratio"`
	IOWait float64 `json:"iowait_ratio"`
	CRC    float64 `json:"crc_ratio"`
	// Ended early says why a test stopped before its time (max_bytes, min_free, stopped); empty otherwise.
	EndedEarly string `json:"ended_early,omitempty"`
	// IO is direct or buffered, as really used.
	IO string `json:"io"`
	// Failure is the storage failure reason, empty for success; Error the text that belongs to it.
	Failure string `json:"failure,omitempty"`
	Error   string `json:"error,omitempty"`
}
