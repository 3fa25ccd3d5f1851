package tasks

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// FuzzSample reads arbitrary bytes as a sample: what is taken for one is what those bytes stand for, and no other.
func FuzzSample(f *testing.F) {
	c := newCodec()
	var buf [sampleSize]byte
	f.Add(bytes.Clone(c.encode(&buf, latency.Sample{Op: latency.Commit, WarmUp: true, Reason: reason.Other, Start: 1, Latency: 2 * time.Millisecond, Lag: 3})))
	f.Add(bytes.Repeat([]byte{0xff}, sampleSize))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := c.decode(data)
		if err != nil {
			return
		}
		if again := c.encode(&buf, s); !bytes.Equal(data, again) {
			t.Errorf("%x is read as %+v, which is %x", data, s, again)
		}
	})
}

// FuzzProgress does the same for the progress of a throughput test.
func FuzzProgress(f *testing.F) {
	f.Add(progress{throughput.Write, time.Second, 1 << 20}.encode())
	f.Add([]byte("too short"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := decodeProgress(data)
		if err != nil {
			return
		}
		if again := p.encode(); !bytes.Equal(data, again) {
			t.Errorf("%x is read as %+v, which is %x", data, p, again)
		}
	})
}

// answering is a pool whose workers answer with the same bytes whatever they are asked, and tell of an event before.
type answering []byte

func (a answering) Do(_ context.Context, req worker.Request) (json.RawMessage, error) {
	if req.OnEvent != nil {
		req.OnEvent(a)
	}
	return json.RawMessage(a), nil
}

func (answering) InFlight(string) (op worker.Operation, busy bool) { return op, false }

func (answering) Retain([]string) {}

// FuzzResult has a worker answer anything: what is no JSON is an error, whatever was asked.
func FuzzResult(f *testing.F) {
	for _, text := range []string{`{}`, `null`, `7`, `{"targets":[{}],"error":"x"}`, `{"read":{"count":-1}}`, `[{"name":"a"}]`, `{`, ``} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := NewClient(answering(data), topology.Sources{})
		ctx, target := t.Context(), topology.Target{Directory: "/"}
		var all []error
		note := func(_ any, err error) { all = append(all, err) }
		note(c.Discover(ctx))
		note(c.Inspect(ctx, target))
		note(c.Latency(ctx, target, latency.Spec{}, func(latency.Sample) {}))
		note(c.Throughput(ctx, target, topology.Facts{}, throughput.Spec{}, func(throughput.Test, time.Duration, int64) {}))
		note(c.Entries(ctx, Place{}))
		note(c.Free(ctx, []Place{{}}))
		note(c.Overhead(ctx))
		note(c.Layouts(ctx, "/nonexistent"))
		for i, err := range all {
			if err == nil && !json.Valid(data) {
				t.Errorf("request %d: %q is taken for a result", i, data)
			}
		}
	})
}
