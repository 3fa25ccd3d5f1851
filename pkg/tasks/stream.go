//go:build linux

package tasks

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// Throughput runs the tests of spec in a directory of which the facts are known, in the worker of its mount. It fills in
// the place. onProgress must not block.
func (c *Client) Throughput(
	ctx context.Context, t topology.Target, facts topology.Facts, spec throughput.Spec, onProgress func(throughput.Test, time.Duration, int64),
) (throughput.Outcome, error) {
	spec.Directory, spec.Mount, spec.Source = t.Directory, facts.Mount, source(facts)
	return ask[throughput.Outcome](ctx, c.pool, worker.Request{
		Worker: spec.Mount.Device, Target: t.Key(), Task: taskStream, Params: spec, Grace: c.Grace,
		OnEvent: func(payload []byte) {
			if p, err := decodeProgress(payload); err == nil {
				onProgress(p.test, p.elapsed, p.bytes)
			}
		},
	})
}

// source is where the counters of the storage under a directory are.
func source(facts topology.Facts) iostat.Source {
	s := iostat.Source{Device: facts.Device}
	if strings.HasPrefix(facts.Network, "nfs") {
		s.NFS = facts.Mountpoint
	}
	return s
}

func stream(ctx context.Context, task worker.Task) (any, error) {
	spec, err := decode[throughput.Spec](task)
	if err != nil {
		return nil, err
	}
	return throughput.Run(ctx, spec, streamObserver{task.Reporter}), nil
}

// streamObserver passes on what a run tells.
type streamObserver struct{ reporter worker.Reporter }

func (o streamObserver) Operation(name string, at int64) { o.reporter.Operation(name, at) }

func (o streamObserver) Progress(test throughput.Test, elapsed time.Duration, bytes int64) {
	o.reporter.Event(progress{test, elapsed, bytes}.encode())
}

// progress travels as elapsed time and bytes, 8 bytes each, and the name of the test.
type progress struct {
	test    throughput.Test
	elapsed time.Duration
	bytes   int64
}

func (p progress) encode() []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(p.elapsed))
	b = binary.LittleEndian.AppendUint64(b, uint64(p.bytes))
	return append(b, p.test...)
}

func decodeProgress(b []byte) (progress, error) {
	if len(b) < 16 {
		return progress{}, fmt.Errorf("decode progress of %d bytes: too short", len(b))
	}
	return progress{
		elapsed: time.Duration(binary.LittleEndian.Uint64(b)),
		bytes:   int64(binary.LittleEndian.Uint64(b[8:])),
		test:    throughput.Test(b[16:]),
	}, nil
}
