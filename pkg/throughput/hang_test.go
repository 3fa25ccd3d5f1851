package throughput_test

import (
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/monotonic"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// word is one word of Observer.Operation.
type word struct {
	name string
	at   int64
}

// listener hands on what it is told of operations.
type listener struct {
	silent
	words chan word
}

func (l listener) Operation(name string, at int64) { l.words <- word{name, at} }

// await returns the time of an operation that is told of twice, as it hangs; 0 when there is none for a minute.
func (l listener) await(name string) (at int64) {
	timeout := time.After(time.Minute)
	for {
		select {
		case w := <-l.words:
			if w.name == name && w.at == at {
				return at
			}
			if w.name == name {
				at = w.at
			}
		case <-timeout:
			return 0
		}
	}
}

// Whatever hangs is told by its name and since when, and the last word is that nothing does.
func TestTellsWhatHangs(t *testing.T) {
	for operation, name := range map[faultfs.Operation]string{
		// The directory is opened before anything else.
		faultfs.Readdir: "open", faultfs.Statfs: "statfs", faultfs.Create: "create", faultfs.Write: "write",
		faultfs.Read: "read", faultfs.Fsync: "fdatasync", faultfs.Unlink: "unlink",
	} {
		t.Run(name, func(t *testing.T) {
			f := faultfs.Mount(t, faultfs.Options{})
			before := monotonic.Now()
			held := f.Hang(operation)
			l := listener{words: make(chan word)}
			done := make(chan throughput.Outcome, 1)
			go func() {
				defer close(l.words)
				done <- throughput.Run(t.Context(), small(f.Path(), throughput.Write), l)
			}()
			<-held
			after := monotonic.Now()
			if at := l.await(name); at < before || at > after+int64(time.Millisecond) {
				t.Errorf("%s is said to hang since %d, want from %d to %d", name, at, before, after)
			}
			f.Clear()
			var last word
			for last = range l.words {
			}
			if last.name != "" {
				t.Errorf("the last word is %s, want none", last.name)
			}
			if outcome := <-done; outcome.Error != "" || outcome.Tests[0].Error != "" {
				t.Errorf("Run() = %+v after the hang", outcome)
			}
		})
	}
}
