//go:build linux

package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

// exporter answers: does the exporter itself run well enough for its figures to be believed, and what does it cost?
func exporter() *builder {
	return board("columnstore-exporter", "ColumnStore exporter",
		"Whether the exporter runs, whether it keeps its time, and what it costs.", "now-6h").
		WithPanel(exportersDown()).
		WithPanel(versions()).
		WithPanel(workers()).
		WithPanel(restartsInRange()).
		WithPanel(timingOverhead()).
		WithRow(dashboard.NewRowBuilder("Does it keep its time")).
		WithPanel(scheduleLag()).
		WithPanel(lateRequests()).
		WithPanel(restarts()).
		WithPanel(scrapeDuration()).
		WithRow(dashboard.NewRowBuilder("What it costs")).
		WithPanel(processorUse()).
		WithPanel(memoryUse()).
		WithPanel(openFiles()).
		WithPanel(goroutines())
}

// ofExporters keeps what belongs to the exporter's jobs, of series that others have too and "All" would take in. A job is
// known as long as one of its exporters has been seen in the time that the dashboard shows.
func ofExporters(expr string) string {
	return expr + "\nand on (job)\nlast_over_time(" + onNode("columnstore_exporter_build_info") + "[$__range])"
}

func exportersDown() cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Exporters down",
		description: "Exporters that Prometheus did not reach at the last scrape.",
		unit:        units.Short, width: 5, alert: "ColumnStoreExporterDown",
		queries: []query{{fold("sum", "("+ofExporters(onNode("up"))+") == bool 0"), "down"}},
	}, none()...)
}

func versions() cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Versions",
		description: "Versions that run, and on how many nodes. More than one is normal while an update is rolled out.",
		unit:        units.Short, width: 5,
		queries: []query{{foldBy("version", "count", onNode("columnstore_exporter_build_info")), "{{version}}"}},
	}).TextMode(common.BigValueTextModeValueAndName)
}

func workers() cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Workers",
		description: "Worker processes: one for each mount that holds a directory, and one for ColumnStore's configuration.",
		unit:        units.Short, width: 4,
		queries: []query{{fold("sum", onNode("columnstore_exporter_workers")), "workers"}},
	})
}

func restartsInRange() cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Restarted",
		description: "Workers that ended unasked, and recurring jobs that failed, in the time that the dashboard shows. All were started again; the log tells why.",
		unit:        units.Short, width: 5,
		queries: []query{
			{fold("sum", eventsInRange(onNode("columnstore_exporter_worker_restarts_total"))), "workers"},
			{fold("sum", eventsInRange(onNode("columnstore_exporter_job_restarts_total"))), "jobs"},
		},
	}, base(good), at(0.5, bad)).Decimals(0).TextMode(common.BigValueTextModeValueAndName)
}

func timingOverhead() cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Timing overhead",
		description: "Median cost of timing an empty call in a worker, on the slowest node: what each latency holds besides storage.",
		unit:        units.Seconds, width: 5,
		queries: []query{{fold("max", onNode("columnstore_exporter_measurement_overhead_seconds")), "overhead"}},
	}, base(good), at(10e-6, bad))
}

func scheduleLag() cog.Builder[dashboard.Panel] {
	lag := onNode("columnstore_exporter_schedule_lag_seconds")
	return latencies(panel{
		title:       "Schedule lag",
		description: "How long after their time requests started: quantiles over all chosen nodes, and the mean of each. A machine without a free core shows here before it shows in latencies.",
		width:       half,
		queries:     []query{{quantile(0.5, lag), "p50"}, {quantile(0.99, lag), "p99"}, {mean(lag, window), "mean {{instance}}"}},
	})
}

func lateRequests() cog.Builder[dashboard.Panel] {
	late := func(operation string) query {
		of := func(counter string) string {
			return foldBy(byNode, "sum", rate(onNode("columnstore_storage_"+operation+"_"+counter+"_total")))
		}
		return query{of("late") + "\n/\n" + of("requests"), operation + " {{instance}}"}
	}
	return lines(panel{
		title:       "Late requests",
		description: "Share of the requests that started more than 10 ms after their time.",
		unit:        units.PercentUnit, width: half,
		queries: []query{late("read"), late("commit")},
	})
}

// restarts names jobs by exported_job, which is how Prometheus stores an exporter's own label job.
func restarts() cog.Builder[dashboard.Panel] {
	return counts(panel{
		title:       "Restarts",
		description: "Workers that ended unasked, and recurring jobs that failed; all were started again.",
		width:       half,
		queries: []query{
			{events(onNode("columnstore_exporter_worker_restarts_total")), "worker: {{instance}}"},
			{events(onNode("columnstore_exporter_job_restarts_total")), "{{exported_job}}: {{instance}}"},
		},
	})
}

func scrapeDuration() cog.Builder[dashboard.Panel] {
	return lines(panel{
		title:       "Scrape duration",
		description: "How long Prometheus waited for the exporter. A scrape reads memory alone: it takes no longer when storage hangs.",
		unit:        units.Seconds, width: half, alert: "ColumnStoreExporterDown",
		queries: []query{{ofExporters(onNode("scrape_duration_seconds")), "{{instance}}"}},
	})
}

func processorUse() cog.Builder[dashboard.Panel] {
	return lines(panel{
		title:       "Processor",
		description: "Share of one core that the daemon takes. The workers, which do the probing, are processes of their own and not in it.",
		unit:        units.PercentUnit, width: half,
		queries: []query{{ofExporters(rate(onNode("process_cpu_seconds_total"))), "{{instance}}"}},
	})
}

func memoryUse() cog.Builder[dashboard.Panel] {
	return lines(panel{
		title:       "Memory",
		description: "Resident memory of the daemon, without its workers. It is bounded: a line that keeps rising is a fault.",
		unit:        units.BytesIEC, width: half,
		queries: []query{{ofExporters(onNode("process_resident_memory_bytes")), "{{instance}}"}},
	})
}

func openFiles() cog.Builder[dashboard.Panel] {
	return lines(panel{
		title:       "Open files",
		description: "File descriptors of the daemon. A line that keeps rising is a fault.",
		unit:        units.Short, width: half,
		queries: []query{{ofExporters(onNode("process_open_fds")), "{{instance}}"}},
	})
}

func goroutines() cog.Builder[dashboard.Panel] {
	return lines(panel{
		title:       "Goroutines",
		description: "Goroutines of the daemon. None of them waits for storage: their number stays the same when storage hangs.",
		unit:        units.Short, width: half,
		queries: []query{{ofExporters(onNode("go_goroutines")), "{{instance}}"}},
	})
}
