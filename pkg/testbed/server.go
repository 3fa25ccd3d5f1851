//go:build linux

package testbed

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// serve runs a server until the test ends, and returns once it answers url with status 200. What it printed is the test's
// log where the test fails.
func serve(t testing.TB, url, name string, args ...string) {
	t.Helper()
	var printed bytes.Buffer
	cmd := command(t, name, args...)
	cmd.Stdout, cmd.Stderr = &printed, &printed
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait() // a signal ends it
		close(exited)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(unix.SIGTERM) // it may be gone
		<-exited
		if t.Failed() {
			t.Logf("%s printed:\n%s", name, printed.String())
		}
	})
	await(t, url+" to answer", func() bool {
		select {
		case <-exited:
			t.Fatalf("%s ended before it answered", name)
		default:
		}
		return answers(t, url)
	})
}

// await polls until done reports true, which is to happen within patience.
func await(t testing.TB, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !done(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for %s", patience, what)
		}
	}
}

// answers tells whether a GET of url gives status 200.
func answers(t testing.TB, url string) bool {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}
