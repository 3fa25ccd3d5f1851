//go:build linux

package tasks

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/latency"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
)

// sampleSize is the length of an encoded sample: operation, warm-up, reason, then start, latency and lag in nanoseconds.
const sampleSize = 3 + 3*8

// codec turns samples into bytes and back without allocating.
type codec struct{ reasons []reason.Reason }

// newCodec returns a codec; a reason travels as its place in the closed set, 0 for none.
func newCodec() codec { return codec{reasons: append([]reason.Reason{""}, reason.All()...)} }

func (c codec) encode(buf *[sampleSize]byte, s latency.Sample) []byte {
	buf[0] = byte(s.Op)
	buf[1] = 0
	if s.WarmUp {
		buf[1] = 1
	}
	buf[2] = c.index(s.Reason)
	binary.LittleEndian.PutUint64(buf[3:], uint64(s.Start))
	binary.LittleEndian.PutUint64(buf[11:], uint64(s.Latency))
	binary.LittleEndian.PutUint64(buf[19:], uint64(s.Lag))
	return buf[:]
}

// index is the reason's place in the set; what is not in the set travels as other.
func (c codec) index(r reason.Reason) byte {
	i := slices.Index(c.reasons, r)
	if i < 0 {
		i = slices.Index(c.reasons, reason.Other)
	}
	return byte(i)
}

func (c codec) decode(b []byte) (latency.Sample, error) {
	if len(b) != sampleSize || b[0] > byte(latency.Commit) || b[1] > 1 || int(b[2]) >= len(c.reasons) {
		return latency.Sample{}, fmt.Errorf("decode a sample of %d bytes: not of the form that this version writes", len(b))
	}
	return latency.Sample{
		Op:      latency.Op(b[0]),
		WarmUp:  b[1] == 1,
		Reason:  c.reasons[b[2]],
		Start:   latency.Instant(binary.LittleEndian.Uint64(b[3:])),
		Latency: time.Duration(binary.LittleEndian.Uint64(b[11:])),
		Lag:     time.Duration(binary.LittleEndian.Uint64(b[19:])),
	}, nil
}
