//go:build linux

package throughput

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/columnstore/columnstore_exporter/pkg/human"
)

// Diagnosis says in a word and in a sentence what limits a directory.
type Diagnosis struct {
	// Word is one of the constants below.
	Word string `json:"word"`
	// Sentence holds the figures that the word rests on.
	Sentence string `json:"sentence"`
}

// The words of a Diagnosis, in the order in which they are tried.
const (
	// Failed: a test met an error.
	Failed = "failed"
	// NotMeasured: no test moved a block.
	NotMeasured = "not measured"
	// Cached: much of what a test moved never reached storage, so its figures are of a cache.
	Cached = "cached"
	// BelowGuideline: write or read stays below CoreMinimum. The sentence names the bound, too.
	BelowGuideline = "below the guideline"
	// MetadataBound: extending files is much slower than writing over blocks that they have.
	MetadataBound = "metadata-bound"
	// CPUBound: a test spent more time computing than waiting for storage.
	CPUBound = "CPU-bound"
	// DeviceBound: storage, or the way to it, is what the threads wait for. That is the normal state.
	DeviceBound = "device-bound"
)

const (
	// extendingRatio is the share of the rate of overwrite below which write is much slower.
	extendingRatio = 0.7
)

// Diagnose judges the results of one directory. It has no state: the same results give the same diagnosis.
func Diagnose(results []Result) Diagnosis {
	for _, r := range results {
		if r.Failure != "" {
			return Diagnosis{Failed, fmt.Sprintf("The %s test failed (%s): %s.", r.Test, r.Failure, r.Error)}
		}
	}
	moved := slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.ReadBytes+r.WrittenBytes == 0 })
	if len(moved) == 0 {
		return Diagnosis{NotMeasured, "No test moved a block."}
	}
	for _, r := range moved {
		if r.Cached() {
			return Diagnosis{Cached, fmt.Sprintf("Only %s of the bytes of the %s test reached storage: the figures are of a cache.",
				percent(*r.DeviceRatio), r.Test)}
		}
	}
	bound := boundOf(moved)
	if slow, found := slowest(moved); found && core(slow) < CoreMinimum {
		return Diagnosis{BelowGuideline, fmt.Sprintf("Below the guideline: %s reaches %s per core of %s at least. %s",
			slow.Test, human.BytesPerSecond(core(slow)), human.BytesPerSecond(CoreMinimum), bound.Sentence)}
	}
	return bound
}

// boundOf tells which of the three bounds holds.
func boundOf(results []Result) Diagnosis {
	write, extended := find(results, Write)
	overwrite, overwritten := find(results, Overwrite)
	if share := per(write.WriteRate(), overwrite.WriteRate()); extended && overwritten && share < extendingRatio {
		return Diagnosis{MetadataBound, fmt.Sprintf("Metadata-bound: extending files reaches %s, which is %s of the %s of overwriting them.",
			human.BytesPerSecond(write.WriteRate()), percent(share), human.BytesPerSecond(overwrite.WriteRate()))}
	}
	// The test with the largest lead of computing over waiting decides.
	r := slices.MaxFunc(results, func(a, b Result) int { return cmp.Compare(a.CPU-a.IOWait, b.CPU-b.IOWait) })
	if r.CPU > r.IOWait {
		of := ""
		if r.CRC > r.CPU/2 {
			of = " (CRC)"
		}
		return Diagnosis{CPUBound, fmt.Sprintf("CPU-bound%s: %s computed for %s of its time, %s of it for checksums, and waited %s for storage.",
			of, r.Test, percent(r.CPU), percent(per(r.CRC, r.CPU)), percent(r.IOWait))}
	}
	r = slices.MaxFunc(results, func(a, b Result) int { return cmp.Compare(a.IOWait, b.IOWait) })
	return Diagnosis{DeviceBound, fmt.Sprintf("Device-bound: %s waited for storage %s of its time and computed for %s, at %s per core.",
		r.Test, percent(r.IOWait), percent(r.CPU), human.BytesPerSecond(core(r)))}
}

// slowest returns the slower of the two tests that the guideline is about.
func slowest(results []Result) (slow Result, found bool) {
	for _, kind := range []Test{Write, ReadTest} {
		if r, ran := find(results, kind); ran && (!found || core(r) < core(slow)) {
			slow, found = r, true
		}
	}
	return slow, found
}

// core returns the rate per core, both directions together.
func core(r Result) float64 { return r.PerCore(r.ReadRate() + r.WriteRate()) }

func find(results []Result, kind Test) (Result, bool) {
	i := slices.IndexFunc(results, func(r Result) bool { return r.Test == kind })
	if i < 0 {
		return Result{}, false
	}
	return results[i], true
}

func percent(share float64) string { return human.Number(math.Round(share*100)) + " %" }
