package iostat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// sysstatSeconds is the window of the comparison. The two windows begin and end some milliseconds apart.
const sysstatSeconds = 3

// TestAgreesWithSysstat holds each figure against iostat -x of sysstat over the same window, on a device that nobody else
// uses, within 5 %.
func TestAgreesWithSysstat(t *testing.T) {
	directory := testbed.Loop(t, "ext4", 64<<20)
	device := deviceOf(t, directory)
	defer load(t, directory)()
	fs, err := iostat.New("/proc", "/sys")
	if err != nil {
		t.Fatal(err)
	}
	window, err := fs.Begin(iostat.Source{Device: device})
	if err != nil {
		t.Fatal(err)
	}
	theirs := sysstat(t, device)
	ours, err := window.End()
	if err != nil || ours.Device.Read == nil || ours.Device.Write == nil {
		t.Fatalf("End() = %+v, %v, want reads and writes", ours.Device, err)
	}
	for column, got := range columns(ours.Device) {
		// sysstat prints two decimals.
		if want := theirs[column]; math.Abs(got-want) > 0.05*want+0.01 {
			t.Errorf("%s = %.3f, iostat says %.2f", column, got, want)
		} else {
			t.Logf("%s = %.3f, iostat says %.2f", column, got, want)
		}
	}
}

// columns are the figures in iostat's units.
func columns(d *iostat.Device) map[string]float64 {
	values := map[string]float64{"aqu-sz": d.QueueLength, "util": 100 * d.Utilization}
	for letter, s := range map[string]*iostat.Direction{"r": d.Read, "w": d.Write} {
		values[letter+"/s"] = s.RequestsPerSecond
		values[letter+"kB/s"] = s.BytesPerSecond / 1024
		values[letter+"areq-sz"] = s.RequestBytes / 1024
		values[letter+"_await"] = 1000 * s.AwaitSeconds
		values[letter+"rqm"] = 100 * s.MergedRatio
	}
	return values
}

// load reads and writes in a directory until it is stopped, and has begun when it returns.
func load(t *testing.T, directory string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	begun, done := make(chan struct{}), make(chan throughput.Outcome, 1)
	go func() {
		done <- throughput.Run(ctx, throughput.Spec{
			Directory: directory, Host: "test", Tests: []throughput.Test{throughput.Rewrite}, Duration: time.Hour,
			Threads: 2, BlockSize: 64 << 10, MaxBytes: 16 << 20,
		}, &observer{begun: begun})
	}()
	select {
	case <-begun:
	case outcome := <-done:
		t.Fatalf("Run() = %+v before it was stopped", outcome)
	}
	return func() {
		cancel()
		<-done
	}
}

// observer tells when the test proper has begun.
type observer struct{ begun chan struct{} }

func (o *observer) Operation(string, int64) {}

func (o *observer) Progress(test throughput.Test, _ time.Duration, _ int64) {
	if test == throughput.Rewrite && o.begun != nil {
		close(o.begun)
		o.begun = nil
	}
}

func deviceOf(t *testing.T, path string) string {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	link, err := os.Readlink(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev)))
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(link)
}

// sysstat returns the columns of iostat -x over a window that begins now.
func sysstat(t *testing.T, device string) map[string]float64 {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "iostat", "-x", "-y", "-o", "JSON", device, strconv.Itoa(sysstatSeconds), "1")
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v; `make deps` installs iostat", cmd.Args, err)
	}
	var report struct {
		Sysstat struct {
			Hosts []struct {
				Statistics []struct {
					Disk []map[string]any
				}
			}
		}
	}
	if err := json.Unmarshal(output, &report); err != nil {
		t.Fatalf("%v printed %s: %v", cmd.Args, output, err)
	}
	values := map[string]float64{}
	for column, value := range report.Sysstat.Hosts[0].Statistics[0].Disk[0] {
		if number, ok := value.(float64); ok {
			values[column] = number
		}
	}
	return values
}
