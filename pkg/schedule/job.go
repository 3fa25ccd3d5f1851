package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Job is something that runs again and again: first after First, then on the times of its grid, and whenever it is
// triggered.
type Job struct {
	// Name identifies the job in its group.
	Name string
	// Interval is the time from one start to the next; 0 means that the job runs only when it is triggered, whatever First is.
	Interval time.Duration
	// Phase is the job's place in the interval, see [Phase]. The grid is the times whose distance to the Unix epoch is
	// Phase more than a multiple of Interval. It is laid down once, when the job is added, and then kept by the monotonic
	// clock: a restart finds the same grid, and a step of the wall clock does not move it.
	Phase time.Duration
	// First is the delay of the first run, which does not wait for the grid; negative means that the grid begins at once.
	First time.Duration
	// Run does the job once. Its time was due, and it should return soon when ctx is done. An error or a panic is logged,
	// counted and tried again after a back-off, at the latest at the next time of the grid.
	Run func(ctx context.Context, due time.Time) error
}

func (j Job) check() error {
	switch {
	case j.Name == "":
		return errors.New("job without a name")
	case j.Interval < 0:
		return fmt.Errorf("job %s: interval %s is negative", j.Name, j.Interval)
	case j.Run == nil:
		return fmt.Errorf("job %s: nothing to run", j.Name)
	}
	return nil
}
