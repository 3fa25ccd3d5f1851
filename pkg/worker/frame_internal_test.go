package worker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFramesSurviveTheirWay(t *testing.T) {
	var sent []byte
	want := order{name: "latency", target: "1 dbroot /var/lib/columnstore/data1", params: []byte(`{"count":30}`)}
	sent = appendRun(sent, 7, want)
	sent = appendOperation(sent, 1<<63, "fsync", -5)
	sent = appendFrame(sent, kindEvent, 8, nil)
	r := newFrameReader(iotest.OneByteReader(bytes.NewReader(sent)))

	got := next(t, r, kindRun, 7)
	if o, err := parseRun(got); err != nil || !cmp.Equal(want, o, cmp.AllowUnexported(order{})) {
		t.Errorf("run arrived as %+v, error %v", o, err)
	}
	got = next(t, r, kindOperation, 1<<63)
	if name, at, err := parseOperation(got); err != nil || string(name) != "fsync" || at != -5 {
		t.Errorf("operation arrived as %q at %d, error %v", name, at, err)
	}
	if got := next(t, r, kindEvent, 8); len(got) != 0 {
		t.Errorf("empty event arrived as %q", got)
	}
	if _, err := r.next(); !errors.Is(err, io.EOF) {
		t.Errorf("error %v at the end, want EOF", err)
	}
}

func next(t *testing.T, r *frameReader, k kind, id uint64) []byte {
	t.Helper()
	f, err := r.next()
	if err != nil {
		t.Fatal(err)
	}
	if f.kind != k || f.id != id {
		t.Fatalf("frame of kind %d for task %d, want %d and %d", f.kind, f.id, k, id)
	}
	return f.body
}

func TestLongNamesOfOperationsAreCut(t *testing.T) {
	r := newFrameReader(bytes.NewReader(appendOperation(nil, 1, string(make([]byte, 1000)), 0)))
	if got := len(next(t, r, kindOperation, 1)); got != maxOperation {
		t.Errorf("body of %d bytes, want %d", got, maxOperation)
	}
}

// FuzzFrame reads arbitrary bytes as either side does. Neither may panic, hang or keep more than it may; and how the
// bytes are cut into reads must not matter.
func FuzzFrame(f *testing.F) {
	run := appendRun(nil, 1, order{name: "echo", target: "t", params: []byte(`1`)})
	f.Add(run)
	f.Add(appendFrame(run, kindCancel, 1, nil))
	f.Add(appendFrame(nil, kindRun, 1, []byte{200, 1}))
	f.Add(appendOperation(nil, 1, "read", 1))
	f.Add(appendFrame(appendFrame(nil, kindEvent, 1, []byte("x")), kindResult, 1, []byte("{}")))
	f.Add(appendFrame(nil, kindError, 1, []byte("no")))
	f.Add(appendHeader(nil, kindResult, 1, MaxMessage+1))
	p := NewPool(Options{})
	f.Cleanup(p.Close)
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := null.Close(); err != nil {
			f.Error(err)
		}
	})

	f.Fuzz(func(t *testing.T, data []byte) {
		whole, wholeErr := frames(bytes.NewReader(data))
		pieces, piecesErr := frames(iotest.OneByteReader(bytes.NewReader(data)))
		if !cmp.Equal(whole, pieces, cmp.AllowUnexported(frame{})) || wholeErr.Error() != piecesErr.Error() {
			t.Errorf("read at once %v (%v), in pieces %v (%v)", whole, wholeErr, pieces, piecesErr)
		}
		readAsDaemon(t, p, data)
		readAsWorker(t, null, data)
	})
}

// frames reads to the end, and returns the error that is there.
func frames(in io.Reader) ([]frame, error) {
	r := newFrameReader(in)
	var all []frame
	for {
		f, err := r.next()
		if err != nil {
			return all, err
		}
		f.body = bytes.Clone(f.body)
		all = append(all, f)
	}
}

func readAsDaemon(t *testing.T, p *Pool, data []byte) {
	t.Helper()
	w := newProcess(p, "w", nil)
	f := &flight{id: 1, target: "t", process: w, done: make(chan struct{})}
	f.onEvent = func(payload []byte) {
		if len(payload) > MaxEvent {
			t.Errorf("event of %d bytes", len(payload))
		}
	}
	w.flights[f.id] = f
	if err := w.receive(bytes.NewReader(data)); err == nil {
		t.Error("a worker that says no more is taken for a living one")
	}
	if op, ok := f.operation(1<<62, time.Now); ok && len(op.Name) > MaxName {
		t.Errorf("operation with a name of %d bytes", len(op.Name))
	}
}

func readAsWorker(t *testing.T, out *os.File, data []byte) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	echo := func(_ context.Context, t Task) (any, error) { return t.Params, nil }
	s := newServer(ctx, &sink{file: out, fail: func(err error) { t.Error(err) }}, map[string]Handler{"echo": echo})
	// An error is as good as none here: both end the worker.
	_ = s.receive(bytes.NewReader(data))
	cancel()
	s.drain(time.Minute)
	if len(s.jobs) != 0 || len(s.queues) != 0 {
		t.Errorf("%d jobs and %d queues are left", len(s.jobs), len(s.queues))
	}
}
