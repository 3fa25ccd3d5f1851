//go:build prometheus

// Package alertmanager_test asks the real Alertmanager what the shipped configuration makes of alerts.
package alertmanager_test

import (
	"os/exec"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

const configuration = "alertmanager.yml"

// set are the labels of an alert.
type set = map[string]string

// on returns the labels of an alert about a directory of pm1.
func on(directory, alert, severity string) set {
	return with(node("pm1:10570", alert, severity), "directory", directory)
}

// node returns the labels of an alert about a whole node.
func node(instance, alert, severity string) set {
	return set{"alertname": alert, "severity": severity, "job": "columnstore_exporter", "instance": instance, "cluster": "x"}
}

func with(s set, name, value string) set {
	s[name] = value
	return s
}

func TestAmtoolAcceptsTheConfiguration(t *testing.T) {
	amtool(t, "check-config", configuration)
}

func TestRoutesBySeverity(t *testing.T) {
	for severity, receiver := range map[string]string{"critical": "page", "warning": "ticket", "info": "log", "other": "ticket"} {
		amtool(t, "config", "routes", "test", "--config.file="+configuration, "--verify.receivers="+receiver,
			"severity="+severity, "alertname=ColumnStoreStorageSlow", "instance=pm1:10570")
	}
}

func amtool(t *testing.T, args ...string) {
	t.Helper()
	if output, err := exec.CommandContext(t.Context(), "amtool", args...).CombinedOutput(); err != nil {
		t.Errorf("amtool %q: %v (is it installed? `make deps`)\n%s", args, err, output)
	}
}

func TestInhibition(t *testing.T) {
	for name, test := range map[string]struct{ alerts, silenced []set }{
		"a hung directory is not slow, failing or stale as well": {
			alerts: []set{on("/data1", "ColumnStoreStorageHung", "critical")},
			silenced: []set{
				on("/data1", "ColumnStoreStorageSlow", "critical"),
				on("/data1", "ColumnStoreStorageSlow", "warning"),
				on("/data1", "ColumnStoreStorageFailing", "critical"),
				on("/data1", "ColumnStoreStorageStale", "warning"),
			},
		},
		"other directories and nodes speak for themselves": {
			alerts: []set{
				on("/data1", "ColumnStoreStorageHung", "critical"),
				on("/data2", "ColumnStoreStorageHung", "critical"),
				on("/data3", "ColumnStoreStorageSlow", "warning"),
				with(node("pm2:10570", "ColumnStoreStorageSlow", "warning"), "directory", "/data1"),
				with(on("/data1", "ColumnStoreStorageSlow", "warning"), "cluster", "y"),
				node("pm1:10570", "ColumnStoreImportSlow", "warning"),
			},
		},
		"what is critical about a directory silences its warnings": {
			alerts: []set{
				on("/data1", "ColumnStoreStorageSlow", "critical"),
				on("/data2", "ColumnStoreStorageSlow", "warning"),
			},
			silenced: []set{
				on("/data1", "ColumnStoreStorageSlow", "warning"),
				on("/data1", "ColumnStoreStorageUneven", "warning"),
				with(on("/data1", "ColumnStoreThroughputLow", "warning"), "test", "write"),
			},
		},
		"of a node that nobody sees, the rest is old news": {
			alerts: []set{
				node("pm1:10570", "ColumnStoreExporterDown", "critical"),
				node("pm2:10570", "ColumnStoreImportOverdue", "warning"),
			},
			silenced: []set{
				on("/data1", "ColumnStoreStorageStale", "warning"),
				on("/data1", "ColumnStoreStorageSlow", "critical"),
				node("pm1:10570", "ColumnStoreImportOverdue", "warning"),
			},
		},
		"trials that fail are why none succeeds": {
			alerts:   []set{node("pm1:10570", "ColumnStoreImportFailing", "warning")},
			silenced: []set{node("pm1:10570", "ColumnStoreImportOverdue", "warning")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := testbed.StartAlertmanager(t, configuration)
			raise(t, server, slices.Concat(test.alerts, test.silenced))
			want := [2][]string{sorted(test.alerts), sorted(test.silenced)}
			var diff string
			if !eventually(func() bool { // inhibition hears of an alert a little later than the API
				diff = cmp.Diff(want, states(t, server))
				return diff == ""
			}) {
				t.Errorf("notified and inhibited alerts (-want +got):\n%s", diff)
			}
		})
	}
}
