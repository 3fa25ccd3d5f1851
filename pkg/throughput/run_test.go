package throughput_test

import (
	"context"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

func TestRun(t *testing.T) {
	for fstype, size := range map[string]int64{"ext4": 64 << 20, "xfs": 300 << 20} {
		t.Run(fstype, func(t *testing.T) {
			directory := testbed.Loop(t, fstype, size)
			spec := small(directory, throughput.SkipRead, throughput.ReadTest, throughput.Rewrite, throughput.Overwrite, throughput.Write)
			spec.Source = sourceOf(t, directory)
			outcome := throughput.Run(t.Context(), spec, silent{})
			if outcome.Skip != "" || outcome.Error != "" || len(outcome.Tests) != len(throughput.Tests()) {
				t.Fatalf("Run() = %+v", outcome)
			}
			for i, r := range outcome.Tests {
				if r.Test != throughput.Tests()[i] {
					t.Errorf("test %d is %s, want %s", i, r.Test, throughput.Tests()[i])
				}
				checkResult(t, spec, r)
			}
			wantClean(t, directory)
		})
	}
}

// checkResult checks what holds for each test that ran well on a local file system.
func checkResult(t *testing.T, spec throughput.Spec, r throughput.Result) {
	t.Helper()
	reads := r.Test == throughput.Rewrite || r.Test == throughput.ReadTest || r.Test == throughput.SkipRead
	writes := r.Test == throughput.Write || r.Test == throughput.Overwrite || r.Test == throughput.Rewrite
	switch {
	case r.Failure != "" || r.Error != "" || r.StatisticsError != "":
		t.Errorf("%s failed: %+v", r.Test, r)
	case (r.ReadBytes > 0) != reads || (r.WrittenBytes > 0) != writes || (r.Seeks > 0) != (r.Test == throughput.SkipRead):
		t.Errorf("%s moved %d bytes in, %d bytes out, %d seeks", r.Test, r.ReadBytes, r.WrittenBytes, r.Seeks)
	case r.Threads != spec.Threads || r.IO != throughput.Direct || r.DeviceRatio == nil || *r.DeviceRatio != 1:
		t.Errorf("%s: %d threads, %s, device ratio %v", r.Test, r.Threads, r.IO, r.DeviceRatio)
	case r.Device == nil || reads && r.Device.Read == nil || writes && r.Device.Write == nil:
		t.Errorf("%s: the device saw %+v", r.Test, r.Device)
	case !(r.CPU > 0) || !(r.CRC > 0) || r.CRC > r.CPU || r.IOWait < 0 || r.IOWait > 1:
		t.Errorf("%s: shares of CPU %v, CRC %v, iowait %v", r.Test, r.CPU, r.CRC, r.IOWait)
	case r.Test != throughput.Write && (r.EndedEarly != "" || r.Seconds < spec.Duration.Seconds()):
		t.Errorf("%s ended after %v s: %q", r.Test, r.Seconds, r.EndedEarly)
	}
}

func TestRates(t *testing.T) {
	r := throughput.Result{Seconds: 2, Threads: 4, ReadBytes: 800, WrittenBytes: 400, Seeks: 10}
	if r.ReadRate() != 400 || r.WriteRate() != 200 || r.SeekRate() != 5 || r.PerCore(r.ReadRate()) != 100 {
		t.Errorf("rates of %+v are %v, %v, %v, %v a core", r, r.ReadRate(), r.WriteRate(), r.SeekRate(), r.PerCore(r.ReadRate()))
	}
	var none throughput.Result
	if none.ReadRate() != 0 || none.PerCore(1) != 0 {
		t.Error("rates of nothing are not 0")
	}
}

// Without checksums nothing is spent on them.
func TestWithoutCRC(t *testing.T) {
	spec := small(t.TempDir(), throughput.Rewrite)
	spec.CRC = false
	if r := runOne(t, spec); r.CRC != 0 || !(r.CPU > 0) {
		t.Errorf("shares of CRC and CPU are %v and %v, want 0 and more", r.CRC, r.CPU)
	}
}

func TestStop(t *testing.T) {
	for _, kind := range throughput.Tests() {
		t.Run(string(kind), func(t *testing.T) {
			spec := small(t.TempDir(), kind, throughput.SkipRead)
			spec.Duration = forever
			if kind == throughput.Write {
				// It must last until it is heard of.
				spec.BlockSize, spec.MaxBytes = 4<<10, 1<<30
			}
			ctx, cancel := context.WithCancel(t.Context())
			outcome := throughput.Run(ctx, spec, when(kind, cancel))
			if len(outcome.Tests) != 1 || outcome.Error != "" {
				t.Fatalf("Run() = %+v, want the test that was stopped alone", outcome)
			}
			if r := outcome.Tests[0]; r.Test != kind || r.EndedEarly != throughput.EndedStopped || r.ReadBytes+r.WrittenBytes == 0 || r.Failure != "" {
				t.Errorf("Run() = %+v, want figures up to the stop", r)
			}
			wantClean(t, spec.Directory)
		})
	}
}

// A context that is over leaves one block a thread and nothing behind.
func TestStoppedBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	spec := small(t.TempDir(), throughput.ReadTest)
	spec.Duration = forever
	began := time.Now()
	outcome := throughput.Run(ctx, spec, silent{})
	if len(outcome.Tests) != 1 || outcome.Tests[0].EndedEarly != throughput.EndedStopped || time.Since(began) > forever/2 {
		t.Errorf("Run() = %+v, want it stopped", outcome)
	}
	wantClean(t, spec.Directory)
}

// Where the device is not found there is an error beside the figures.
func TestStatisticsTrouble(t *testing.T) {
	spec := small(t.TempDir(), throughput.Write)
	spec.Source.Device = "nosuchdevice"
	if r := runOne(t, spec); r.Device != nil || !mentions(r.StatisticsError, "nosuchdevice") || r.WrittenBytes != spec.MaxBytes {
		t.Errorf("Run() = %+v, want figures, no device, and why", r)
	}
}
