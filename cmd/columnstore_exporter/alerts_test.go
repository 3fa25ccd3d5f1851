//go:build prometheus

package main

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/faultfs"
)

// nfs is what a read takes on the published NFS HA layout.
const nfs = 3300 * time.Microsecond

// The alerts of this test.
const (
	slow  = "ColumnStoreStorageSlow"
	hung  = "ColumnStoreStorageHung"
	stale = "ColumnStoreStorageStale"
)

// TestAlertsReachAWebhook goes the whole way, from storage to the receiver of a message: the program that is shipped, on
// storage that gets slow, hangs and recovers, watched by Prometheus and Alertmanager with the files that are shipped.
func TestAlertsReachAWebhook(t *testing.T) {
	program := build(t)
	for name, native := range map[string]bool{"classic histograms": false, "native histograms": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storage := faultfs.Mount(t, faultfs.Options{})
			storage.Set(faultfs.Read, faultfs.Fault{Delay: nfs})
			m := startMonitored(t, program, storage.Path(), native)

			m.holdSlow(t, m.awaitPage(t, "firing", slow))

			storage.Hang(faultfs.Read)
			m.holdHung(t, m.awaitPage(t, "firing", hung))
			m.holdInhibition(t)

			storage.Set(faultfs.Read, faultfs.Fault{Delay: nfs})
			m.awaitPage(t, "resolved", hung)
			m.awaitPage(t, "firing", slow)
			m.holdNothingElse(t)

			storage.Clear()
			m.awaitPage(t, "resolved", slow)
			if left := m.alerts(t, func(a testbed.Alert) bool { return slices.Contains([]string{slow, hung, stale}, a.Labels["alertname"]) }); left != nil {
				t.Errorf("Alertmanager still has %q", left)
			}
		})
	}
}

// holdSlow holds the latency alert to what the person who is paged needs.
func (m *monitored) holdSlow(t *testing.T, got testbed.Alert) {
	t.Helper()
	m.holdAlert(t, got, testbed.Alert{
		Labels: map[string]string{"alertname": slow},
		Annotations: map[string]string{
			"summary":     "Storage of ColumnStore is slower than the guideline.",
			"runbook_url": runbook + "#columnstorestorageslow",
		},
	})
	took := m.described(t, got, `^Reads in DIRECTORY on INSTANCE take (\S+) in the mean of 5 minutes\.$`)
	if took < nfs {
		t.Errorf("it says that a read takes %v; it cannot take less than %v", took, nfs)
	}
}

// holdHung does the same for the alert of a hang.
func (m *monitored) holdHung(t *testing.T, got testbed.Alert) {
	t.Helper()
	m.holdAlert(t, got, testbed.Alert{
		Labels: map[string]string{"alertname": hung},
		Annotations: map[string]string{
			"summary":     "Storage of ColumnStore does not answer.",
			"runbook_url": runbook + "#columnstorestoragehung",
		},
	})
	if waited := m.described(t, got, `^An operation in DIRECTORY on INSTANCE has been waiting for (\S+)\.$`); waited < 5*time.Second {
		t.Errorf("it says that an operation has been waiting for %v only", waited)
	}
}

// holdAlert compares an alert, to whose expected labels those of the directory are added.
func (m *monitored) holdAlert(t *testing.T, got, want testbed.Alert) {
	t.Helper()
	maps.Copy(want.Labels, map[string]string{
		"severity": "critical", "job": "columnstore_exporter", "instance": m.exporter.address, "cluster": "columnstore",
		"dbroot": "1", "kind": "dbroot", "directory": m.directory,
	})
	description := cmpopts.IgnoreMapEntries(func(name, _ string) bool { return name == "description" })
	if diff := cmp.Diff(want, got, description); diff != "" {
		t.Errorf("alert (-want +got):\n%s", diff)
	}
}

// described returns the duration that the alert's description gives where the pattern has its group.
func (m *monitored) described(t *testing.T, a testbed.Alert, pattern string) time.Duration {
	t.Helper()
	pattern = strings.NewReplacer("INSTANCE", regexp.QuoteMeta(m.exporter.address), "DIRECTORY", regexp.QuoteMeta(m.directory)).Replace(pattern)
	text := a.Annotations["description"]
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("description %q, want %s", text, pattern)
	}
	took, err := time.ParseDuration(found[1])
	if err != nil {
		t.Fatalf("description %q: %v", text, err)
	}
	return took
}

// holdInhibition waits until the hang is all that is said of the directory, although Prometheus finds it slow and stale as
// well, and sees that the messages repeat no more than that.
func (m *monitored) holdInhibition(t *testing.T) {
	t.Helper()
	inhibited := func(a testbed.Alert) bool { return len(a.Status.InhibitedBy) > 0 }
	m.exporter.eventually("slow and stale are inhibited", func() bool {
		names := m.alerts(t, inhibited)
		return slices.Contains(names, slow+" critical") && slices.Contains(names, stale+" warning")
	})
	others := m.alerts(t, func(a testbed.Alert) bool { return !inhibited(a) })
	if diff := cmp.Diff([]string{hung + " critical"}, others); diff != "" {
		t.Errorf("alerts that are not inhibited (-want +got):\n%s", diff)
	}
	m.inbox.skip()
	for range 2 {
		for _, a := range m.inbox.await(m.exporter, "/page", "anything", func(message) bool { return true }).Alerts {
			if a.Labels["alertname"] != hung && a.Status == "firing" {
				t.Errorf("notified of %q while the storage hangs", a.Labels)
			}
		}
	}
	m.holdNothingElse(t)
}

// holdNothingElse sees that until now nothing was notified but what is critical.
func (m *monitored) holdNothingElse(t *testing.T) {
	t.Helper()
	for _, got := range m.inbox.all() {
		for _, a := range got.Alerts {
			if name := a.Labels["alertname"]; name != slow && name != hung || got.path != "/page" {
				t.Errorf("%s was notified of %q", got.path, a.Labels)
			}
		}
	}
}
