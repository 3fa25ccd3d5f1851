//go:build linux

package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/units"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
)

// stuckSeconds is how long a trial may run before its alert fires.
const stuckSeconds = 30 * 60

// imports answers: does the documented import take as long as it should on storage like this, and what would help?
func imports() *builder {
	return board("columnstore-imports", "ColumnStore imports",
		"How long the import of 10,000 rows x 250 columns takes, whether that is what the storage lets expect, and what would make it faster. Needs INGEST_DSN.", "now-7d").
		WithVariable(dbroots()).
		WithPanel(lastImport()).
		WithPanel(importAgainstRange()).
		WithPanel(meanImport()).
		WithPanel(failedTrials()).
		WithPanel(importAge()).
		WithPanel(runningTrial()).
		WithPanel(serverState()).
		WithRow(dashboard.NewRowBuilder("How long, and why")).
		WithPanel(importDuration()).
		WithPanel(whatIf()).
		WithPanel(importSteps()).
		WithPanel(predictedImport()).
		WithPanel(importRate()).
		WithPanel(latencyMeanwhile()).
		WithRow(dashboard.NewRowBuilder("What went wrong")).
		WithPanel(trialsAndFailures()).
		WithPanel(locksAndLeftovers())
}

const ofMethod = "{{instance}} {{method}}"

func lastDuration() string { return onNode("columnstore_ingest_last_duration_seconds") }

func lastImport() cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Last import",
		description: "Duration of the last trial that succeeded: of the import alone, without making the table.",
		unit:        units.Seconds, width: 3, alert: "ColumnStoreImportSlow",
		queries: []query{{lastDuration(), ofMethod}},
	})
}

func importAgainstRange() cog.Builder[dashboard.Panel] {
	upper := onNode("columnstore_baseline_ingest_seconds", `bound="upper"`)
	nearest := upper + " and on (job, instance, layout) " + onNode("columnstore_storage_layout") + " == 1"
	last := onNode("columnstore_ingest_last_duration_seconds", `method="cpimport"`)
	return number(panel{
		title:       "Of its range's end",
		description: "The last cpimport in relation to the upper end of the published range of the layout that the storage resembles. Above 100 % something else than storage latency costs time: processor, memory, a neighbour. LOAD DATA is another way to import and not held against it.",
		unit:        units.PercentUnit, width: 3, alert: "ColumnStoreImportSlow",
		queries: []query{{perNode(last, "/", foldBy(byNode, "max", nearest)), "{{instance}}"}},
	}, base(good), at(1, worst))
}

func meanImport() cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Mean import",
		description: "Mean duration of the trials in the time that the dashboard shows.",
		unit:        units.Seconds, width: 3, alert: "ColumnStoreImportSlow",
		queries: []query{{mean(onNode("columnstore_ingest_duration_seconds"), "$__range"), ofMethod}},
	})
}

func failedTrials() cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Failed trials",
		description: "Trials that failed in the time that the dashboard shows. Their reasons are below.",
		unit:        units.Short, width: 3, alert: "ColumnStoreImportFailing",
		queries: []query{{fold("sum", eventsInRange(onNode("columnstore_ingest_failures_total"))), "failed"}},
	}, base(good), at(0.5, worst)).Decimals(0)
}

func importAge() cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Age, in intervals",
		description: "How many intervals (INGEST_INTERVAL) ago the last trial succeeded. From 3 on the next one is overdue.",
		unit:        units.NoUnit, width: 3, alert: "ColumnStoreImportOverdue",
		queries: []query{{
			intervals(onNode("columnstore_ingest_last_success_timestamp_seconds"), onNode("columnstore_ingest_interval_seconds")), "{{instance}}",
		}},
	}, base(good), at(2, bad), at(3, worst)).Decimals(1)
}

func runningTrial() cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Trial under way",
		description: "How long the trial that runs has been running; 0 when none does. A stuck one is asked to end after INGEST_TIMEOUT and never killed.",
		unit:        units.Seconds, width: 3, alert: "ColumnStoreImportStuck",
		queries: []query{{fold("max", age(onNode("columnstore_ingest_in_flight_start_timestamp_seconds"))), "running"}},
	}, base(good), at(stuckSeconds, worst))
}

func serverState() cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Server",
		description: "The worst of the chosen nodes: MariaDB answers, ColumnStore is ready, it is writable, the trial's table is not locked; and whether one of them is the primary, on which trials run.",
		unit:        units.NoUnit, width: 6, alert: "ColumnStoreImportTableLocked",
		queries: []query{
			{fold("min", onNode("columnstore_up")), "answers"},
			{fold("min", onNode("columnstore_system_ready")), "ready"},
			{fold("min", onNode("columnstore_system_read_only")+" == bool 0"), "writable"},
			{fold("min", onNode("columnstore_ingest_table_locked")+" == bool 0"), "table free"},
			{fold("max", onNode("columnstore_system_primary")), "primary"},
		},
	}, base(worst), at(1, good)).Mappings(yesOr("no")).TextMode(common.BigValueTextModeValueAndName)
}

func importDuration() cog.Builder[dashboard.Panel] {
	graph := lines(panel{
		title:       "Import time against the published ranges",
		description: "Duration of the last import, upon the range that each reference layout was published with.",
		unit:        units.Seconds, width: 16, alert: "ColumnStoreImportSlow",
		queries: []query{
			{lastDuration(), ofMethod},
			{foldBy("layout, bound", "max", onNode("columnstore_baseline_ingest_seconds")), "{{layout}} {{bound}}"},
		},
	}).OverrideByQuery("B", dashed())
	for _, layout := range baseline.Published() {
		color := layoutColor(layout.Name)
		lower, upper := layout.Name+" lower", layout.Name+" upper"
		graph = graph.OverrideByName(lower, properties{color}).OverrideByName(upper, properties{
			color, {Id: "custom.fillBelowTo", Value: lower}, {Id: "custom.fillOpacity", Value: 25},
		})
	}
	return graph
}

func whatIf() cog.Builder[dashboard.Panel] {
	return bars(panel{
		title:       "What would help",
		description: "Estimated import time with the storage as it is now, with a low-latency bulkRollback, and with everything on local storage: from the measured latencies and the published table, calibrated by the node's own trials.",
		unit:        units.Seconds, width: 8, alert: "ColumnStoreBulkRollbackSlow",
		queries: []query{{onNode("columnstore_ingest_predicted_seconds"), "{{instance}} {{scenario}}"}},
	})
}

func importSteps() cog.Builder[dashboard.Panel] {
	return lines(panel{
		title:       "Steps of the last import",
		description: "What the time of the last import went to, as cpimport reports it. In preprocess it writes to bulkRollback for one column after the other: there a slow bulkRollback shows, and the wait for a locked table.",
		unit:        units.Seconds, width: half,
		queries: []query{{onNode("columnstore_ingest_step_duration_seconds", `step!="total"`), "{{instance}} {{step}}"}},
	}).FillOpacity(40).Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal))
}

func predictedImport() cog.Builder[dashboard.Panel] {
	return lines(panel{
		title:       "Predicted against measured",
		description: "Dashed: the import time that the measured latencies let expect. Where it is far below the measured one, the time goes elsewhere than to storage latency.",
		unit:        units.Seconds, width: half, alert: "ColumnStoreImportSlow",
		queries: []query{
			{lastDuration(), ofMethod},
			{onNode("columnstore_ingest_predicted_seconds", `scenario="now"`), "{{instance}} predicted"},
		},
	}).OverrideByQuery("B", dashed())
}

func importRate() cog.Builder[dashboard.Panel] {
	return lines(panel{
		title:       "Rows per second",
		description: "Rows of the last import by its duration. Most of a small import is latency; larger ones have a higher rate on the same storage.",
		unit:        units.Short, width: half,
		queries: []query{{onNode("columnstore_ingest_last_rows") + "\n/\n" + lastDuration(), ofMethod}},
	})
}

func latencyMeanwhile() cog.Builder[dashboard.Panel] {
	return latencies(panel{
		title:       "Read latency meanwhile",
		description: "Mean read latency of DBroots and bulkRollback directories over the same time. While a trial runs nothing is measured.",
		width:       half, alert: "ColumnStoreStorageSlow",
		queries: []query{{mean(onDBRoot(readLatency, `kind!="extra"`), window), ofDirectory}},
	})
}

func trialsAndFailures() cog.Builder[dashboard.Panel] {
	return counts(panel{
		title:       "Trials, failures and skips",
		description: "Trials that were begun, trials that failed, and trials that were due and not begun, by reason.",
		width:       half, alert: "ColumnStoreImportFailing",
		queries: []query{
			{events(onNode("columnstore_ingest_trials_total")), "begun: {{instance}}"},
			{events(onNode("columnstore_ingest_failures_total")), "failed, {{reason}}: {{instance}}"},
			{events(onNode("columnstore_ingest_skipped_total")), "skipped, {{reason}}: {{instance}}"},
		},
	})
}

func locksAndLeftovers() cog.Builder[dashboard.Panel] {
	return lines(panel{
		title:       "Locks and leftovers",
		description: "Tables that are locked, and entries in bulkRollback directories. Entries without a lock were left by an import that did not end well.",
		unit:        units.Short, width: half, alert: "ColumnStoreBulkRollbackLeftovers",
		queries: []query{
			{onNode("columnstore_table_locks"), "{{instance}}: locked tables"},
			{onDBRoot("columnstore_bulkrollback_entries"), "{{instance}}: bulkRollback of DBroot {{dbroot}}"},
		},
	}).Decimals(0)
}
