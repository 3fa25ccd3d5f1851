package schedule

import "time"

const (
	backoffFirst = time.Second
	backoffMost  = time.Minute
	// healthy is how long something has to work for its earlier failures to be forgotten.
	healthy = time.Minute
)

// Backoff spaces out the attempts at something that keeps failing: 1 s after the first failure, doubling to 1 min. The
// zero value has seen no failure.
type Backoff struct {
	failures int
}

// Fail records a failure and returns how long to wait before the next attempt. Something that worked for a minute or
// longer before it failed starts again at 1 s.
func (b *Backoff) Fail(worked time.Duration) time.Duration {
	if worked >= healthy {
		b.Reset()
	}
	delay := backoffMost
	if b.failures < 6 { // 2⁶ s is over a minute
		delay = backoffFirst << b.failures
	}
	b.failures++
	return delay
}

// Reset forgets the failures.
func (b *Backoff) Reset() { b.failures = 0 }
