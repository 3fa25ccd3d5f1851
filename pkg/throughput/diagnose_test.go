package throughput_test

import (
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// written is a result of two threads over ten seconds: MB/s in all, and what the threads did meanwhile.
func written(kind throughput.Test, rate, cpu, wait, crc float64) throughput.Result {
	return throughput.Result{Test: kind, Seconds: 10, Threads: 2, WrittenBytes: int64(rate * 1e7), CPU: cpu, IOWait: wait, CRC: crc}
}

func read(rate, cpu, wait, crc float64) throughput.Result {
	return throughput.Result{Test: throughput.ReadTest, Seconds: 10, Threads: 2, ReadBytes: int64(rate * 1e7), CPU: cpu, IOWait: wait, CRC: crc}
}

func with(r throughput.Result, change func(*throughput.Result)) throughput.Result {
	change(&r)
	return r
}

func TestDiagnose(t *testing.T) {
	cached := 0.02
	proven := 0.95
	cases := map[string]struct {
		results []throughput.Result
		want    throughput.Diagnosis
	}{
		"device": {
			[]throughput.Result{written(throughput.Write, 364, 0.05, 0.94, 0.02), written(throughput.Overwrite, 400, 0.06, 0.93, 0.02), read(600, 0.08, 0.9, 0.04)},
			throughput.Diagnosis{Word: "device-bound", Sentence: "Device-bound: write waited for storage 94 % of its time and computed for 5 %, at 182 MB/s per core."},
		},
		"proven": {
			[]throughput.Result{with(read(600, 0.08, 0.9, 0.04), func(r *throughput.Result) { r.DeviceRatio = &proven })},
			throughput.Diagnosis{Word: "device-bound", Sentence: "Device-bound: read waited for storage 90 % of its time and computed for 8 %, at 300 MB/s per core."},
		},
		"checksums": {
			[]throughput.Result{written(throughput.Write, 4000, 0.6, 0.7, 0.3), read(8000, 0.9, 0.3, 0.6)},
			throughput.Diagnosis{Word: "CPU-bound", Sentence: "CPU-bound (CRC): read computed for 90 % of its time, 67 % of it for checksums, and waited 30 % for storage."},
		},
		"processor without checksums": {
			[]throughput.Result{read(8000, 0.8, 0.1, 0)},
			throughput.Diagnosis{Word: "CPU-bound", Sentence: "CPU-bound: read computed for 80 % of its time, 0 % of it for checksums, and waited 10 % for storage."},
		},
		"metadata": {
			[]throughput.Result{written(throughput.Write, 120, 0.05, 0.94, 0.02), written(throughput.Overwrite, 400, 0.06, 0.93, 0.02)},
			throughput.Diagnosis{Word: "metadata-bound", Sentence: "Metadata-bound: extending files reaches 120 MB/s, which is 30 % of the 400 MB/s of overwriting them."},
		},
		"slow reads of a slow device": {
			[]throughput.Result{written(throughput.Write, 60, 0.01, 0.98, 0), read(31, 0.01, 0.99, 0)},
			throughput.Diagnosis{Word: "below the guideline", Sentence: "Below the guideline: read reaches 15.5 MB/s per core of 20 MB/s at least. " +
				"Device-bound: read waited for storage 99 % of its time and computed for 1 %, at 15.5 MB/s per core."},
		},
		"slow for metadata": {
			[]throughput.Result{written(throughput.Write, 20, 0.01, 0.98, 0), written(throughput.Overwrite, 100, 0.01, 0.98, 0)},
			throughput.Diagnosis{Word: "below the guideline", Sentence: "Below the guideline: write reaches 10 MB/s per core of 20 MB/s at least. " +
				"Metadata-bound: extending files reaches 20 MB/s, which is 20 % of the 100 MB/s of overwriting them."},
		},
		"slow rewriting is no matter of the guideline": {
			[]throughput.Result{written(throughput.Rewrite, 2, 0.01, 0.98, 0)},
			throughput.Diagnosis{Word: "device-bound", Sentence: "Device-bound: rewrite waited for storage 98 % of its time and computed for 1 %, at 1 MB/s per core."},
		},
		"cache": {
			[]throughput.Result{written(throughput.Write, 4000, 0.5, 0.6, 0.2), with(read(9000, 0.9, 0.1, 0.5), func(r *throughput.Result) { r.DeviceRatio = &cached })},
			throughput.Diagnosis{Word: "cached", Sentence: "Only 2 % of the bytes of the read test reached storage: the figures are of a cache."},
		},
		"failure": {
			[]throughput.Result{read(600, 0.08, 0.9, 0.04), with(read(0, 0, 0, 0), func(r *throughput.Result) {
				r.Test, r.Failure, r.Error = throughput.SkipRead, reason.EIO, "read /data1/x at 0: input/output error"
			})},
			throughput.Diagnosis{Word: "failed", Sentence: "The skipread test failed (eio): read /data1/x at 0: input/output error."},
		},
		"nothing": {nil, throughput.Diagnosis{Word: "not measured", Sentence: "No test moved a block."}},
		"nothing moved": {
			[]throughput.Result{{Test: throughput.Write, Threads: 1, EndedEarly: throughput.EndedStopped}},
			throughput.Diagnosis{Word: "not measured", Sentence: "No test moved a block."},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := throughput.Diagnose(c.results); got != c.want {
				t.Errorf("Diagnose() =\n%+v, want\n%+v", got, c.want)
			}
		})
	}
}
