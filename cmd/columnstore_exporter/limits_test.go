package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/prometheus/procfs"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// crowdBound is what the daemon may need more, in bytes, whoever asks it.
const crowdBound = 64 << 20

// startShipped runs the static binary: the memory of the test's own, which may look for races, is no measure.
func startShipped(t *testing.T, program string) *exporterProcess {
	t.Helper()
	p := launch(t, program, fast(dbroot(t.TempDir()), "LISTEN_ADDRESS="+testbed.FreeAddress(t))...)
	p.eventually("the first run", func() bool { return p.get("/-/ready") == "ready\n" })
	return p
}

// process is the daemon as the kernel shows it.
func (p *exporterProcess) process() procfs.Proc {
	p.t.Helper()
	process, err := procfs.NewProc(p.cmd.Process.Pid)
	if err != nil {
		p.t.Fatal(err)
	}
	return process
}

func (p *exporterProcess) descriptors() int {
	p.t.Helper()
	n, err := p.process().FileDescriptorsLen()
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

// growth returns by how many bytes the resident memory exceeds, at its peak during what happens, what it was before.
func (p *exporterProcess) growth(happens func()) int64 {
	p.t.Helper()
	const resetPeak = "5" // see proc_pid_clear_refs(5)
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte(resetPeak), 0); err != nil {
		p.t.Fatal(err)
	}
	before := p.memory().VmHWM
	happens()
	return int64(p.memory().VmHWM) - int64(before)
}

func (p *exporterProcess) memory() procfs.ProcStatus {
	p.t.Helper()
	status, err := p.process().NewStatus()
	if err != nil {
		p.t.Fatal(err)
	}
	return status
}

// dial connects as a client that does not do as clients do. Its receive buffer is as small as it gets.
func (p *exporterProcess) dial() net.Conn {
	p.t.Helper()
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 1) })
	}}
	conn, err := dialer.DialContext(p.t.Context(), "tcp", p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { conn.Close() })
	return conn
}

// TestDaemonBearsSlowClients holds that clients which take no end cost little memory, keep nobody from an answer, and are
// got rid of.
func TestDaemonBearsSlowClients(t *testing.T) {
	const get = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
	program := build(t)
	for _, test := range []struct {
		name    string
		clients int
		sends   string
	}{
		{"that send nothing", 1000, ""},
		{"whose headers never end", 1000, get + "Slow: " + strings.Repeat("x", 8<<10)},
		{"whose body never ends", 1000, get + "Content-Length: 1000000\r\n\r\n"},
		{"that read no answer", 100, strings.Repeat(get+"\r\n", 200)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := startShipped(t, program)
			before := p.descriptors()
			grown := p.growth(func() {
				for range test.clients {
					_, _ = io.WriteString(p.dial(), test.sends) // it may be cut off already
				}
				p.eventually("a scrape beside them", func() bool { return p.get("/metrics") != "" })
				p.eventually("they are got rid of", func() bool { return p.descriptors() < before+10 })
			})
			t.Logf("%d clients cost %.1f MiB", test.clients, float64(grown)/(1<<20))
			if grown > crowdBound {
				t.Errorf("the daemon has grown by %d bytes", grown)
			}
		})
	}
}

// TestDaemonBearsACrowd holds that more clients than the daemon wants are turned away, and are no longer once they go.
func TestDaemonBearsACrowd(t *testing.T) {
	p := startShipped(t, build(t))
	const crowd, kept = 4000, 2048
	var clients []net.Conn
	grown := p.growth(func() {
		for range crowd {
			clients = append(clients, p.dial())
		}
	})
	if n := p.descriptors(); n > kept+100 {
		t.Errorf("%d descriptors with %d clients", n, crowd)
	}
	if grown > crowdBound {
		t.Errorf("the daemon has grown by %d bytes", grown)
	}
	for _, client := range clients {
		client.Close()
	}
	p.eventually("others are served again", func() bool { return p.get("/-/healthy") == "healthy\n" })
}

func TestDaemonBearsScrapesAtOnce(t *testing.T) {
	p := startShipped(t, build(t))
	const scrapes = 200
	var ready, done sync.WaitGroup
	begin := make(chan struct{})
	grown := p.growth(func() {
		ready.Add(scrapes)
		for range scrapes {
			done.Go(func() {
				ready.Done()
				<-begin
				client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
				response, err := client.Get("http://" + p.address + "/metrics")
				if err != nil {
					t.Error(err)
					return
				}
				defer response.Body.Close()
				if body, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(body), "columnstore_exporter_build_info") {
					t.Errorf("%s with %d bytes, error %v", response.Status, len(body), err)
				}
			})
		}
		ready.Wait()
		close(begin)
		done.Wait()
	})
	t.Logf("%d scrapes at once cost %.1f MiB", scrapes, float64(grown)/(1<<20))
	if grown > crowdBound {
		t.Errorf("the daemon has grown by %d bytes", grown)
	}
}

func TestDaemonRefusesOversizedHeaders(t *testing.T) {
	p := startShipped(t, build(t))
	header := "GET /metrics HTTP/1.1\r\nHost: localhost\r\nLarge: " + strings.Repeat("x", 1<<20) + "\r\n\r\n"
	grown := p.growth(func() {
		var asking sync.WaitGroup
		for range 200 {
			conn := p.dial()
			asking.Go(func() {
				go func() { _, _ = io.WriteString(conn, header) }() // it is cut off
				response, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Error(err)
					return
				}
				defer response.Body.Close()
				if response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
					t.Errorf("answer %s", response.Status)
				}
			})
		}
		asking.Wait()
	})
	t.Logf("they cost %.1f MiB", float64(grown)/(1<<20))
	if grown > crowdBound {
		t.Errorf("the daemon has grown by %d bytes", grown)
	}
}
