//go:build prometheus

package alertmanager_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// start runs Debian's Alertmanager until the test ends, and returns its URL.
func start(t *testing.T) (url string) {
	t.Helper()
	address := testbed.FreeAddress(t)
	var printed bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "prometheus-alertmanager", "--config.file="+configuration,
		"--storage.path="+t.TempDir(), "--web.listen-address="+address, "--cluster.listen-address=")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stdout, cmd.Stderr = &printed, &printed
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v: run `make deps`", err)
	}
	t.Cleanup(func() {
		_ = cmd.Wait() // the interrupt is what ends it
		if t.Failed() {
			t.Logf("Alertmanager printed:\n%s", printed.String())
		}
	})
	url = "http://" + address
	if !eventually(func() bool { return do(t, http.MethodGet, url+"/-/ready", nil, nil) == nil }) {
		t.Fatal("Alertmanager does not get ready")
	}
	return url
}

// eventually asks until the answer is true, for as long as a very busy machine may take.
func eventually(done func() bool) bool {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); !done(); <-tick.C {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// alert is one of Alertmanager's API.
type alert struct {
	Labels set `json:"labels"`
	Status struct {
		InhibitedBy []string `json:"inhibitedBy"`
	} `json:"status,omitzero"`
}

func raise(t *testing.T, url string, sets []set) {
	t.Helper()
	var alerts []alert
	for _, labels := range sets {
		alerts = append(alerts, alert{Labels: labels})
	}
	if err := do(t, http.MethodPost, url, alerts, nil); err != nil {
		t.Fatal(err)
	}
}

// states returns the alerts that would be notified, and those that are inhibited.
func states(t *testing.T, url string) [2][]string {
	t.Helper()
	var alerts []alert
	if err := do(t, http.MethodGet, url, nil, &alerts); err != nil {
		t.Fatal(err)
	}
	var states [2][]set
	for _, a := range alerts {
		inhibited := min(len(a.Status.InhibitedBy), 1)
		states[inhibited] = append(states[inhibited], a.Labels)
	}
	return [2][]string{sorted(states[0]), sorted(states[1])}
}

// do sends a value as JSON and, unless into is nil, decodes the answer.
func do(t *testing.T, method, url string, value, into any) error {
	t.Helper()
	body, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, url, response.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(into)
}

// sorted writes sets of labels in an order of their own.
func sorted(sets []set) []string {
	var texts []string
	for _, labels := range sets {
		text, _ := json.Marshal(labels) // strings alone
		texts = append(texts, string(text))
	}
	slices.Sort(texts)
	return texts
}
