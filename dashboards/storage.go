//go:build linux

package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

// Where the alerts begin that do not take their threshold from a metric.
const (
	criticalRatio = 2.0 / 0.7 // 2 ms in relation to the default target
	hungSeconds   = 6         // at the default time between requests
	provenRatio   = 0.9
)

// storage answers: is the storage under ColumnStore's directories good, which directory is not, and why?
func storage() *builder {
	return board("columnstore-storage", "ColumnStore storage",
		"Is the storage under each DBroot and bulkRollback directory fast enough for cpimport, and if not, which directory is slow, and why?", "now-6h").
		WithVariable(dbroots()).
		WithPanel(slowDirectories()).
		WithPanel(failingDirectories()).
		WithPanel(longestWait()).
		WithPanel(staleDirectories()).
		WithPanel(unprovenDirectories()).
		WithPanel(nearestLayout()).
		WithPanel(directoryTable()).
		WithRow(dashboard.NewRowBuilder("How fast, and how evenly")).
		WithPanel(dbrootLatency()).
		WithPanel(bulkRollbackLatency()).
		WithPanel(readQuantiles()).
		WithPanel(readDistribution()).
		WithPanel(readSpread()).
		WithPanel(bulkRollbackRatio()).
		WithPanel(commitLatency()).
		WithPanel(commitQuantiles()).
		WithRow(dashboard.NewRowBuilder("What is wrong, and what the figures are worth")).
		WithPanel(operationsInFlight()).
		WithPanel(deviceProof()).
		WithPanel(storageFailures()).
		WithPanel(skippedRuns()).
		WithRow(dashboard.NewRowBuilder("What lies under the directories")).
		WithPanel(targetTable())
}

// lastMean is the mean of each directory's last run.
func lastMean() string { return onDBRoot("columnstore_storage_read_run_avg_seconds") }

func latencyTarget() string { return onNode("columnstore_storage_latency_target_seconds") }

func slowDirectories() cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Slow directories",
		description: "Directories whose mean read latency in the last run is above the target (LATENCY_TARGET, 0.7 ms unless set). The table names them.",
		unit:        units.Short, width: 4, alert: "ColumnStoreStorageSlow",
		queries: []query{{fold("sum", perNode(lastMean(), "> bool", latencyTarget())), "slow"}},
	}, none()...)
}

func failingDirectories() cog.Builder[dashboard.Panel] {
	failed := onDBRoot("columnstore_storage_success") + " == bool 0"
	missing := onDBRoot("columnstore_storage_target_info", `kind="dbroot"`, `state="absent"`)
	return number(panel{
		title:       "Failing directories",
		description: "Directories whose last run measured nothing, and DBroots that are not there. \"Failures\" below tells the reason.",
		unit:        units.Short, width: 4, alert: "ColumnStoreStorageFailing",
		queries: []query{{fold("sum", failed+"\nor\n"+missing), "failing"}},
	}, none()...)
}

func longestWait() cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Longest wait",
		description: "How long the oldest operation in flight had been waiting at the last scrape; 0 when storage is idle. Hung storage shows here and in no latency: a request that does not return is not measured.",
		unit:        units.Seconds, width: 4, alert: "ColumnStoreStorageHung",
		queries: []query{{fold("max", inFlightAge()), "waiting"}},
	}, base(good), at(hungSeconds, worst))
}

func inFlightAge() string {
	return age(onDBRoot("columnstore_storage_in_flight_start_timestamp_seconds"))
}

func staleDirectories() cog.Builder[dashboard.Panel] {
	ago := intervals(onDBRoot("columnstore_storage_last_success_timestamp_seconds"), onNode("columnstore_storage_interval_seconds"))
	return number(panel{
		title:       "Stale directories",
		description: "Directories that were not measured for three intervals: what is shown of them is old.",
		unit:        units.Short, width: 4, alert: "ColumnStoreStorageStale",
		queries: []query{{fold("sum", ago+"\n> bool 3"), "stale"}},
	}, none()...)
}

func unprovenDirectories() cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Served by a cache",
		description: "Directories where less than 90 % of what was read in the last run came from the device: their latency is that of a cache. File systems that do not account for reads (FUSE) are not counted.",
		unit:        units.Short, width: 4, alert: "ColumnStoreStorageUnproven",
		queries: []query{{fold("sum", onDBRoot("columnstore_storage_read_device_ratio")+" < bool 0.9"), "unproven"}},
	}, none()...)
}

func nearestLayout() cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Resembles the layout",
		description: "The reference layouts whose latencies are nearest to those of the nodes: local, nfs_ha, nfs_ha_low_latency_bulkrollback, or one from BASELINES_FILE.",
		unit:        units.NoUnit, width: 4, alert: "ColumnStoreStorageLayoutWorse",
		queries: []query{{foldBy("layout", "count", onNode("columnstore_storage_layout")+" == 1"), "{{layout}}"}},
	}).TextMode(common.BigValueTextModeName)
}

func directoryTable() cog.Builder[dashboard.Panel] {
	last := func(metric string) string { return foldBy(byDirectory, "max", onDBRoot(metric)) }
	return rows(panel{
		title:       "Directories",
		description: "One line per directory, the slowest first: ioping's figures of the last run, and what they are worth. \"Of target\" is the mean in relation to the target: orange above it, red from 2 ms on at the default target.",
		unit:        units.NoUnit, width: whole, alert: "ColumnStoreStorageSlow",
	}, append(directories(), label{"state", "State"}), []column{
		{expr: foldBy(byDirectory+", state", "max", onDBRoot("columnstore_storage_target_info"))},
		{
			title: "Of target", expr: foldBy(byDirectory, "max", perNode(lastMean(), "/", latencyTarget())), unit: units.PercentUnit,
			steps: []dashboard.Threshold{base(good), at(1, bad), at(criticalRatio, worst)},
		},
		{title: "Mean", expr: last("columnstore_storage_read_run_avg_seconds"), unit: units.Seconds},
		{title: "Max", expr: last("columnstore_storage_read_run_max_seconds"), unit: units.Seconds},
		{title: "Mdev", expr: last("columnstore_storage_read_run_mdev_seconds"), unit: units.Seconds},
		{title: "Commit", expr: last("columnstore_storage_commit_run_avg_seconds"), unit: units.Seconds},
		{
			title: "Waiting", expr: foldBy(byDirectory, "max", inFlightAge()), unit: units.Seconds,
			steps: []dashboard.Threshold{base(plain), at(hungSeconds, worst)},
		},
		{
			title: "Measured", expr: last("columnstore_storage_success"), unit: units.NoUnit, words: yesOr("failed"),
			steps: []dashboard.Threshold{base(worst), at(1, plain)},
		},
		{
			title: "From device", expr: last("columnstore_storage_read_device_ratio"), unit: units.PercentUnit,
			steps: []dashboard.Threshold{base(worst), at(provenRatio, plain)},
		},
		{title: "Last success", expr: last("columnstore_storage_last_success_timestamp_seconds") + " * 1000", unit: units.DateTimeFromNow},
	}).SortBy([]cog.Builder[common.TableSortByFieldState]{
		common.NewTableSortByFieldStateBuilder().DisplayName("Of target").Desc(true),
	})
}

func targetTable() cog.Builder[dashboard.Panel] {
	facts := foldBy(byDirectory+", name, state, fstype, source, device, mountpoint, network, io", "max", onDBRoot("columnstore_storage_target_info"))
	return rows(panel{
		title:       "Targets",
		description: "What is known of each directory and of the mount under it. The I/O mode is the one really used.",
		unit:        units.NoUnit, width: whole, alert: "ColumnStoreStorageMissing",
	}, append(directories(),
		label{"name", "Name"}, label{"state", "State"}, label{"fstype", "File system"}, label{"source", "Source"}, label{"device", "Device"},
		label{"mountpoint", "Mounted at"}, label{"network", "Network"}, label{"io", "I/O mode"},
	), []column{{expr: facts}})
}
