//go:build prometheus

package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

const runbook = "https://github.com/columnstore/columnstore_exporter/blob/main/deploy/runbook.md"

// hurry is how much sooner than the shipped rules the rendered ones fire.
const hurry = 300

// monitored is an exporter with all that watches it.
type monitored struct {
	exporter     *exporterProcess
	directory    string
	alertmanager *testbed.Alertmanager
	inbox        *inbox
}

// startMonitored runs the program on a directory, and a copy of the shipped monitoring that is in a hurry. A read is slow above
// 2 ms, which a busy machine does not reach by itself. There are many of them, to soon outweigh the one that hung in a mean
// over five minutes. A run takes so long that stale comes after hung, as it does in earnest.
func startMonitored(t *testing.T, program, directory string, native bool) *monitored {
	t.Helper()
	m := &monitored{directory: directory, inbox: newInbox(t)}
	m.exporter = launch(t, program, dbroot(directory), "LISTEN_ADDRESS="+testbed.FreeAddress(t), "LATENCY_TARGET=2ms",
		"LATENCY_INTERVAL=3s", "LATENCY_COUNT=2500", "LATENCY_REQUEST_INTERVAL=1ms", "COMMIT_COUNT=5")
	m.exporter.eventually("the daemon answers", func() bool { return m.exporter.get("/-/healthy") == "healthy\n" })

	addresses := map[string]string{"127.0.0.1:5001": m.inbox.address, "127.0.0.1:10570": m.exporter.address}
	m.alertmanager = testbed.StartAlertmanager(t, filepath.Join(render(t, "alertmanager", addresses), "alertmanager.yml"))
	addresses["127.0.0.1:9093"] = m.alertmanager.Address
	testbed.RunPrometheus(t, filepath.Join(render(t, "prometheus", addresses), "prometheus.yml"), native)
	return m
}

// render copies the YAML files of a directory below deploy, with other times and addresses, and returns where they are.
func render(t *testing.T, name string, addresses map[string]string) (dir string) {
	t.Helper()
	from, to := filepath.Join("../../deploy", name), t.TempDir()
	for _, pattern := range []string{"*.yml", "rules/*.yml", "targets/*.yml"} {
		found, err := filepath.Glob(filepath.Join(from, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			renderFile(t, file, filepath.Join(to, strings.TrimPrefix(file, from)), addresses)
		}
	}
	return to
}

func renderFile(t *testing.T, from, to string, addresses map[string]string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatalf("%s: %v", from, err)
	}
	shorten(t, &document)
	replace(&document, addresses)
	if text, err = yaml.Marshal(&document); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// shorten divides how long an alert waits, and makes everything else happen each second. Windows in expressions stay.
func shorten(t *testing.T, node *yaml.Node) {
	t.Helper()
	for i, value := range node.Content {
		shorten(t, value)
		if node.Kind != yaml.MappingNode || i%2 == 0 {
			continue
		}
		switch node.Content[i-1].Value {
		case "for", "keep_firing_for":
			waits, err := model.ParseDuration(value.Value)
			if err != nil {
				t.Fatalf("line %d: %v", value.Line, err)
			}
			value.Value = (waits / hurry).String()
		case "scrape_interval", "scrape_timeout", "evaluation_interval", "group_wait", "group_interval", "repeat_interval":
			value.Value = "1s"
		}
	}
}

// replace puts addresses in the place of others.
func replace(node *yaml.Node, addresses map[string]string) {
	for from, to := range addresses {
		node.Value = strings.ReplaceAll(node.Value, from, to)
	}
	for _, child := range node.Content {
		replace(child, addresses)
	}
}

// alerts returns names and severities of those alerts in Alertmanager that are chosen, each once.
func (m *monitored) alerts(t *testing.T, chosen func(testbed.Alert) bool) []string {
	t.Helper()
	names := map[string]bool{}
	for _, a := range m.alertmanager.Alerts(t) {
		if chosen(a) {
			names[a.Labels["alertname"]+" "+a.Labels["severity"]] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// awaitPage waits for the next message to whom it pages that has an alert of this status and name, and returns the alert.
func (m *monitored) awaitPage(t *testing.T, status, name string) (found testbed.Alert) {
	t.Helper()
	m.inbox.await(m.exporter, "/page", name+" "+status, func(got message) bool {
		return slices.ContainsFunc(got.Alerts, func(a notified) bool {
			found = testbed.Alert{Labels: a.Labels, Annotations: a.Annotations}
			return a.Status == status && a.Labels["alertname"] == name
		})
	})
	return found
}

// message is what Alertmanager sends to a webhook.
type message struct {
	path   string
	Alerts []notified `json:"alerts"`
}

// notified is an alert in a message.
type notified struct {
	Status      string            `json:"status"` // firing or resolved
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// inbox is a webhook.
type inbox struct {
	address string

	mu       sync.Mutex
	messages []message
	read     int
}

func newInbox(t *testing.T) *inbox {
	t.Helper()
	in := &inbox{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := message{path: r.URL.Path}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Errorf("message to %s: %v", got.path, err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		in.mu.Lock()
		defer in.mu.Unlock()
		in.messages = append(in.messages, got)
	}))
	t.Cleanup(server.Close)
	in.address = server.Listener.Addr().String()
	return in
}

func (in *inbox) all() []message {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.messages)
}

// skip passes over the messages that have come until now.
func (in *inbox) skip() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.read = len(in.messages)
}

// next returns the oldest message that was not read.
func (in *inbox) next() (message, bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.read == len(in.messages) {
		return message{}, false
	}
	in.read++
	return in.messages[in.read-1], true
}

// await reads messages until one to the path is wanted: one that tells what is said.
func (in *inbox) await(p *exporterProcess, path, what string, wanted func(message) bool) (got message) {
	p.eventually("a message to "+path+": "+what, func() bool {
		for {
			next, ok := in.next()
			if !ok {
				return false
			}
			if next.path == path && wanted(next) {
				got = next
				return true
			}
		}
	})
	return got
}
