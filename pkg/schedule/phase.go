package schedule

import (
	"hash/fnv"
	"math"
	"time"
)

// Phase returns where in the interval the job of that key has its place on that host: a duration in [0, interval) that
// is the same in every process and release. It spreads the hosts of a fleet, and the jobs of one host, over the
// interval. It is 0 when interval is not positive.
func Phase(hostname, key string, interval time.Duration) time.Duration {
	if interval <= 0 {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(hostname))
	h.Write([]byte{0}) // keeps ("ab", "c") apart from ("a", "bc")
	h.Write([]byte(key))
	return time.Duration(h.Sum64() % uint64(interval))
}

// never is as far away as a time can be: 292 years.
const never = time.Duration(math.MaxInt64)

// untilGrid returns how long after wall the next time of the grid comes: the times whose distance to the epoch is phase
// more than a multiple of interval. The result is in [0, interval), or never for an interval of 0.
func untilGrid(wall time.Time, phase, interval time.Duration) time.Duration {
	if interval == 0 {
		return never
	}
	into := (time.Duration(wall.UnixNano()) - phase) % interval
	if into < 0 {
		into += interval
	}
	if into == 0 {
		return 0
	}
	return interval - into
}
