//go:build linux

package throughput

import (
	"sync"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/monotonic"
)

// tick is the time between two words to the Observer.
const tick = 200 * time.Millisecond

// flight is what one thread has in flight on storage. The thread writes it, and the watch reads it at its own pace.
type flight struct {
	clock monotonic.Clock
	mu    sync.Mutex
	// operation is empty when nothing is in flight.
	operation string
	since     int64
	// busy is the time in finished operations.
	busy time.Duration
}

// begin notes an operation that begins now, and ends the one before.
func (f *flight) begin(operation string) {
	at := f.clock.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.settle(at)
	f.operation, f.since = operation, at
}

// end notes that nothing is in flight.
func (f *flight) end() {
	at := f.clock.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.settle(at)
	f.operation = ""
}

func (f *flight) settle(at int64) {
	if f.operation != "" {
		f.busy += time.Duration(at - f.since)
	}
}

// look returns the operation in flight and when it began.
func (f *flight) look() (operation string, since int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.operation, f.since
}

// spent returns the time in finished operations.
func (f *flight) spent() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.busy
}

// watch tells an Observer of what the threads do. It touches memory only, so it goes on while they hang.
type watch struct {
	observer Observer
	clock    monotonic.Clock
	flights  []*flight
	mu       sync.Mutex
	test     *test
}

// newWatch returns a watch over so many flights.
func newWatch(observer Observer, flights int) *watch {
	w := &watch{observer: observer, clock: monotonic.NewClock()}
	for range flights {
		w.flights = append(w.flights, &flight{clock: w.clock})
	}
	return w
}

// start begins to watch. The function that it returns ends that, with a last word that nothing is in flight.
func (w *watch) start() (stop func()) {
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(tick)
		defer ticker.Stop()
		for {
			select {
			case <-over:
				w.observer.Operation("", w.clock.Now())
				return
			case <-ticker.C:
				w.tell()
			}
		}
	}()
	return func() { close(over); <-done }
}

// follow makes t the test whose progress is told; nil for none.
func (w *watch) follow(t *test) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.test = t
}

// tell says the progress first: what goes to another process may wait for the operation behind it.
func (w *watch) tell() {
	w.mu.Lock()
	t := w.test
	w.mu.Unlock()
	if t != nil {
		w.observer.Progress(t.kind, time.Since(t.started), t.bytes.Load())
	}
	w.observer.Operation(w.oldest())
}

// oldest returns the operation that has been in flight for longest.
func (w *watch) oldest() (operation string, since int64) {
	since = w.clock.Now()
	for _, f := range w.flights {
		if o, at := f.look(); o != "" && at <= since {
			operation, since = o, at
		}
	}
	return operation, since
}
