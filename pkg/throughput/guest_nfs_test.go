//go:build nfs

package throughput_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// TestNFS runs all tests against a real NFS server that is 5 ms away, in the guest that testbed boots.
func TestNFS(t *testing.T) {
	spec := small("/mnt/nfs", throughput.Tests()...)
	spec.Source, spec.Duration = iostat.Source{NFS: "/mnt/nfs"}, 2*time.Second
	// The guest's mount has a wsize and rsize of 1 MiB, so that a block is a call.
	spec.BlockSize, spec.MaxBytes = 1<<20, 16<<20
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	output := testbed.NFS(t, staticTests(t), `
		nfs_delay 5ms
		`+childSpec+`='`+string(text)+`' ./throughput.test || exit 1
		ls -A /mnt/nfs`)
	at := strings.Index(output, "{")
	if at < 0 {
		t.Fatalf("no result in %s", output)
	}
	decoder := json.NewDecoder(strings.NewReader(output[at:]))
	var outcome throughput.Outcome
	if err := decoder.Decode(&outcome); err != nil || outcome.Error != "" || len(outcome.Tests) != len(spec.Tests) {
		t.Fatalf("Run() = %+v, %v", outcome, err)
	}
	for _, r := range outcome.Tests {
		checkOnNFS(t, r)
	}
	if strings.Contains(output[at+int(decoder.InputOffset()):], ".columnstore_exporter") {
		t.Errorf("files are left: %s", output[at:])
	}
}

// checkOnNFS checks what the client counted: each block, directly, and not faster than the network.
func checkOnNFS(t *testing.T, r throughput.Result) {
	t.Helper()
	if r.Failure != "" || r.StatisticsError != "" || r.NFS == nil || r.Device != nil {
		t.Errorf("%s = %+v", r.Test, r)
		return
	}
	if r.IO != throughput.Direct || r.DeviceRatio == nil || *r.DeviceRatio != 1 {
		t.Errorf("%s: %s, device ratio %v, want direct and 1", r.Test, r.IO, r.DeviceRatio)
	}
	if r.NFS.DirectReadBytes < uint64(r.ReadBytes) || r.NFS.DirectWrittenBytes < uint64(r.WrittenBytes) {
		t.Errorf("%s: the client counted %+v, want %d and %d direct bytes", r.Test, r.NFS, r.ReadBytes, r.WrittenBytes)
	}
	for direction, calls := range map[string]*iostat.Calls{"READ": r.NFS.Read, "WRITE": r.NFS.Write} {
		if calls != nil && (calls.RTTSeconds < 0.010 || calls.ExecuteSeconds < calls.RTTSeconds) {
			t.Errorf("%s: %s is %+v, want a round trip of 10 ms and more", r.Test, direction, calls)
		}
	}
}

// staticTests builds these tests for the guest, and returns the directory that they are in.
func staticTests(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	testbed.Static(t, "test", "-c", "-o", filepath.Join(directory, "throughput.test"), ".")
	return directory
}
