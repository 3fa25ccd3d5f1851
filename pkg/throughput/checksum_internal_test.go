package throughput

import (
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// TestChecksumIsDoneByHardware compares with a copy of the same bytes within one run, by the fastest of many. In software a
// checksum takes five times as long as a copy, or more.
func TestChecksumIsDoneByHardware(t *testing.T) {
	b, copied := block{data: make([]byte, 1<<20)}, make([]byte, 1<<20)
	checksum := testbed.Fastest(1, func() { b.checksum() })
	plain := testbed.Fastest(1, func() { copy(copied, b.data) })
	if checksum > 4*plain {
		t.Errorf("a checksum takes %v, a copy %v", checksum, plain)
	}
}

func TestChecksumDoesNotAllocate(t *testing.T) {
	b := block{data: make([]byte, 1<<20)}
	if n := testing.AllocsPerRun(100, func() { b.seal() }); n != 0 {
		t.Errorf("%v allocations for a checksum", n)
	}
}

func BenchmarkChecksum(b *testing.B) {
	block := block{data: make([]byte, 1<<20)}
	b.SetBytes(1 << 20)
	b.ReportAllocs()
	for b.Loop() {
		block.checksum()
	}
}
