//go:build prometheus

package alertmanager_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// raise brings up an alert for each set of labels.
func raise(t *testing.T, server *testbed.Alertmanager, sets []set) {
	t.Helper()
	var alerts []testbed.Alert
	for _, labels := range sets {
		alerts = append(alerts, testbed.Alert{Labels: labels})
	}
	server.Raise(t, alerts...)
}

// states returns the alerts that would be notified, and those that are inhibited.
func states(t *testing.T, server *testbed.Alertmanager) [2][]string {
	t.Helper()
	var states [2][]set
	for _, a := range server.Alerts(t) {
		inhibited := min(len(a.Status.InhibitedBy), 1)
		states[inhibited] = append(states[inhibited], a.Labels)
	}
	return [2][]string{sorted(states[0]), sorted(states[1])}
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
