//go:build linux

package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/units"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
)

const (
	readLatency = "columnstore_storage_read_latency_seconds"
	commits     = "columnstore_storage_commit_latency_seconds"

	ofDirectory = "{{instance}} {{directory}}"
)

func dbrootLatency() cog.Builder[dashboard.Panel] {
	return againstLayouts(panel{
		title:       "DBroots: mean read latency",
		description: "Mean latency of 4 KiB reads in DBroots and extra directories. Red, dashed: the target. Other dashed lines: the mean of the DBroots in each reference layout. A gap means that nothing was measured.",
	}, onDBRoot(readLatency, `kind!="bulkrollback"`), layoutMeans("dbroot"))
}

func bulkRollbackLatency() cog.Builder[dashboard.Panel] {
	return againstLayouts(panel{
		title:       "bulkRollback: mean read latency",
		description: "Mean latency of 4 KiB reads in bulkRollback directories, which cpimport waits for most. Red, dashed: the target. Other dashed lines: the reference layouts; where one keeps bulkRollback in its DBroot, the DBroot's latency.",
	}, onDBRoot(readLatency, `kind="bulkrollback"`), layoutMeans("bulkrollback")+"\nor\n"+layoutMeans("dbroot"))
}

func layoutMeans(kind string) string {
	return foldBy("layout", "avg", onNode("columnstore_baseline_read_latency_seconds", `kind="`+kind+`"`))
}

// againstLayouts draws means in full, and what they are held against as dashed lines.
func againstLayouts(p panel, histogram, layouts string) cog.Builder[dashboard.Panel] {
	p.width, p.alert = half, "ColumnStoreStorageSlow"
	p.queries = []query{{mean(histogram, window), ofDirectory}, {fold("max", latencyTarget()), "target"}, {layouts, "{{layout}}"}}
	graph := latencies(p).OverrideByQuery("B", dashed(fixedColor(worst))).OverrideByQuery("C", dashed())
	for _, layout := range baseline.Published() {
		graph = graph.OverrideByName(layout.Name, properties{layoutColor(layout.Name)})
	}
	return graph
}

func readQuantiles() cog.Builder[dashboard.Panel] {
	return latencies(panel{
		title:       "Read latency: quantiles",
		description: "Over all chosen directories together: estimated from the histogram, but for the maximum, which is the exact one of the runs.",
		width:       half, alert: "ColumnStoreStorageSlow",
		queries: quantiles(readLatency, "columnstore_storage_read_run_max_seconds"),
	})
}

func quantiles(histogram, runMax string) []query {
	h := onDBRoot(histogram)
	return []query{
		{quantile(0.5, h), "p50"},
		{quantile(0.95, h), "p95"},
		{quantile(0.99, h), "p99"},
		{fold("max", "max_over_time("+onDBRoot(runMax)+"["+window+"])"), "max"},
	}
}

func readDistribution() cog.Builder[dashboard.Panel] {
	return histogram(panel{
		title:       "Read latency: distribution",
		description: "Reads per second by latency, over all chosen directories together. Two bands mean two kinds of requests, such as hits and misses of a cache.",
		width:       half,
	}, onDBRoot(readLatency))
}

func readSpread() cog.Builder[dashboard.Panel] {
	return latencies(panel{
		title:       "Read latency: mdev",
		description: "Standard deviation of the read latency, which ioping calls mdev. More than half of the mean is uneven: look for a neighbour that shares the storage.",
		width:       half, alert: "ColumnStoreStorageUneven",
		queries: []query{{mdev(onDBRoot(readLatency)), ofDirectory}},
	})
}

func bulkRollbackRatio() cog.Builder[dashboard.Panel] {
	of := func(kind string) string {
		return foldBy(byNode+", dbroot", "avg", "\n"+mean(onDBRoot(readLatency, `kind="`+kind+`"`), window)+"\n")
	}
	return lines(panel{
		title:       "bulkRollback against its DBroot",
		description: "Mean read latency of each bulkRollback directory in relation to that of its DBroot. Above 100 % bulkRollback is the slower one; it ought to be the faster one.",
		unit:        units.PercentUnit, width: half, alert: "ColumnStoreBulkRollbackSlow",
		queries: []query{{of("bulkrollback") + "\n/\n" + of("dbroot"), "{{instance}} DBroot {{dbroot}}"}},
	})
}

func commitLatency() cog.Builder[dashboard.Panel] {
	return latencies(panel{
		title:       "Commits: mean latency",
		description: "Mean latency of a commit: create, write 4 KiB, fsync and rename, as ColumnStore does with its small files. There is no published figure to hold it against.",
		width:       half, alert: "ColumnStoreStorageDegraded",
		queries: []query{{mean(onDBRoot(commits), window), ofDirectory}},
	})
}

func commitQuantiles() cog.Builder[dashboard.Panel] {
	return latencies(panel{
		title:       "Commits: quantiles",
		description: "Over all chosen directories together: estimated from the histogram, but for the maximum, which is the exact one of the runs.",
		width:       half,
		queries:     quantiles(commits, "columnstore_storage_commit_run_max_seconds"),
	})
}

func operationsInFlight() cog.Builder[dashboard.Panel] {
	return lines(panel{
		title:       "Longest wait by directory",
		description: "How long the oldest operation in flight had been waiting at each scrape. A rising line is hung storage: nothing has returned since it left 0.",
		unit:        units.Seconds, width: half, alert: "ColumnStoreStorageHung",
		queries: []query{{inFlightAge(), ofDirectory}},
	})
}

func deviceProof() cog.Builder[dashboard.Panel] {
	return lines(panel{
		title:       "Share of reads that came from the device",
		description: "Bytes that the kernel fetched from storage for the reading thread, in relation to the bytes asked for, by run. 100 % is proof that storage was measured; less came from a cache.",
		unit:        units.PercentUnit, width: half, alert: "ColumnStoreStorageUnproven",
		queries: []query{{onDBRoot("columnstore_storage_read_device_ratio"), ofDirectory}},
	})
}

func storageFailures() cog.Builder[dashboard.Panel] {
	return counts(panel{
		title:       "Failures",
		description: "Reads and commits that failed, by the reason that the system gave: eio, enospc, estale, ...",
		width:       half, alert: "ColumnStoreStorageFailing",
		queries: []query{
			{events(onDBRoot("columnstore_storage_read_failures_total")), "read, {{reason}}: " + ofDirectory},
			{events(onDBRoot("columnstore_storage_commit_failures_total")), "commit, {{reason}}: " + ofDirectory},
		},
	})
}

func skippedRuns() cog.Builder[dashboard.Panel] {
	return counts(panel{
		title:       "Skipped runs",
		description: "Runs that were due and not begun: the run before is still in flight, an import trial has the storage to itself, the directory is absent or no longer on its mount, or its worker process is gone.",
		width:       half, alert: "ColumnStoreStorageMissing",
		queries: []query{{events(onDBRoot("columnstore_storage_runs_skipped_total")), "{{reason}}: " + ofDirectory}},
	})
}
