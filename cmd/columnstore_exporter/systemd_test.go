package main

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
)

// serviceManager is systemd's end of the protocol of sd_notify(3).
type serviceManager struct {
	t    *testing.T
	conn *net.UnixConn
}

// newServiceManager listens where the processes that the test starts will report to.
func newServiceManager(t *testing.T) *serviceManager {
	t.Helper()
	address := &net.UnixAddr{Net: "unixgram", Name: filepath.Join(t.TempDir(), "notify")}
	conn, err := net.ListenUnixgram(address.Net, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	t.Setenv("NOTIFY_SOCKET", address.Name)
	return &serviceManager{t: t, conn: conn}
}

// next returns the next message.
func (m *serviceManager) next() string {
	m.t.Helper()
	if err := m.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		m.t.Fatal(err)
	}
	message := make([]byte, 4096)
	n, err := m.conn.Read(message)
	if err != nil {
		m.t.Fatalf("no message for systemd: %v", err)
	}
	return string(message[:n])
}

func (m *serviceManager) expect(want string) {
	m.t.Helper()
	if got := m.next(); got != want {
		m.t.Errorf("told systemd %q, want %q", got, want)
	}
}

func TestDaemonTellsSystemd(t *testing.T) {
	systemd := newServiceManager(t)
	p := startExporter(t, fast(dbroot(t.TempDir()))...)
	systemd.expect("READY=1\nSTATUS=Listening on " + p.address)
	if code, _ := p.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	systemd.expect("STOPPING=1")
}

func TestDaemonFeedsTheWatchdogWhileStorageHangs(t *testing.T) {
	fs := faultfs.Mount(t, faultfs.Options{})
	fs.Hang(faultfs.Lookup)
	dir := filepath.Join(fs.Path(), "data1")
	systemd := newServiceManager(t)
	t.Setenv("WATCHDOG_USEC", "200000")
	p := startExporter(t, fast(dbroot(dir))...)
	p.expect(series("in_flight_start_timestamp_seconds", dir), above(0))
	for fed, ready := 0, false; fed < 20 || !ready; {
		switch message := systemd.next(); message {
		case "WATCHDOG=1":
			fed++
		case "READY=1\nSTATUS=Listening on " + p.address:
			ready = true
		default:
			t.Errorf("told systemd %q", message)
		}
	}
}
