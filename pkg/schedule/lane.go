package schedule

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// Lane is the exclusive lane for heavy trials: one holder at a time. The holder starts at once. Light jobs ask Busy when
// they begin and leave their run out; one that is under way goes on to its end.
type Lane struct {
	slot   chan struct{} // holds a token while the lane is taken
	holder atomic.Pointer[string]
}

// NewLane returns a lane that nobody holds.
func NewLane() *Lane { return &Lane{slot: make(chan struct{}, 1)} }

// TryAcquire takes the lane for name if nobody holds it. A second call of release does nothing.
func (l *Lane) TryAcquire(name string) (release func(), ok bool) {
	select {
	case l.slot <- struct{}{}:
		return l.taken(name), true
	default:
		return nil, false
	}
}

// Acquire takes the lane for name. It waits for the holder until ctx is done, and then returns ctx's error.
func (l *Lane) Acquire(ctx context.Context, name string) (release func(), err error) {
	select {
	case l.slot <- struct{}{}:
		return l.taken(name), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the lane of heavy trials: %w", ctx.Err())
	}
}

// Busy tells whether the lane is held, and by whom.
func (l *Lane) Busy() (name string, busy bool) {
	holder := l.holder.Load()
	if holder == nil {
		return "", false
	}
	return *holder, true
}

func (l *Lane) taken(name string) (release func()) {
	l.holder.Store(&name)
	return sync.OnceFunc(func() {
		l.holder.Store(nil)
		<-l.slot
	})
}
