//go:build linux

package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/units"

	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// streams answers: does storage move enough bytes per core, and what holds it back?
func streams() *builder {
	return board("columnstore-throughput", "ColumnStore throughput",
		"Whether the storage moves 20, better 40 MB/s per physical core, in which test not, and what holds it back. Needs THROUGHPUT_INTERVAL.", "now-7d").
		WithVariable(dbroots()).
		WithPanel(slowestTest("write")).
		WithPanel(slowestTest("read")).
		WithPanel(busiestProcessor()).
		WithPanel(failedTests()).
		WithPanel(testAge()).
		WithPanel(testTable()).
		WithRow(dashboard.NewRowBuilder("How much")).
		WithPanel(coreRates("write")).
		WithPanel(coreRates("read")).
		WithPanel(extending()).
		WithPanel(seeks()).
		WithRow(dashboard.NewRowBuilder("What holds it back")).
		WithPanel(threadTime()).
		WithPanel(requestSize()).
		WithPanel(deviceAwait()).
		WithPanel(deviceUse()).
		WithPanel(nfsTime()).
		WithPanel(runsAndFailures())
}

const (
	coreRate = "columnstore_throughput_core_bytes_per_second"

	ofTest      = "{{instance}} {{directory}} {{test}}"
	ofDirection = "{{instance}} {{directory}} {{test}} {{direction}}"
)

// guided are the rates in a direction that the guideline is for; skipread is about seeks.
func guided(direction string) string {
	return onDBRoot(coreRate, `direction="`+direction+`"`, `test!="skipread"`)
}

func guideline() []dashboard.Threshold {
	return []dashboard.Threshold{base(worst), at(throughput.CoreMinimum, bad), at(throughput.CoreRecommended, good)}
}

func slowestTest(direction string) cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Slowest " + direction + " per core",
		description: "The directory and test with the lowest " + direction + " rate per physical core in the last run: red below the minimum of 20 MB/s, green from the recommended 40 MB/s on.",
		unit:        units.BytesPerSecondSI, width: 6, alert: "ColumnStoreThroughputLow",
		queries: []query{{"bottomk(1, " + guided(direction) + ")", ofTest}},
	}, guideline()...).TextMode(common.BigValueTextModeValueAndName)
}

func busiestProcessor() cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Busiest processor",
		description: "The largest share of a core that a test's threads computed instead of waiting for storage. Near 100 % the test measured the processor.",
		unit:        units.PercentUnit, width: 4,
		queries: []query{{fold("max", onDBRoot("columnstore_throughput_cpu_ratio")), "processor"}},
	}, base(good), at(0.8, bad))
}

func failedTests() cog.Builder[dashboard.Panel] {
	return number(panel{
		title:       "Failed tests",
		description: "Failures in the time that the dashboard shows. Their reasons are below.",
		unit:        units.Short, width: 4,
		queries: []query{{fold("sum", eventsInRange(onDBRoot("columnstore_throughput_failures_total"))), "failed"}},
	}, base(good), at(0.5, worst)).Decimals(0)
}

func testAge() cog.Builder[dashboard.Panel] {
	ago := intervals(onDBRoot("columnstore_throughput_last_success_timestamp_seconds"), onNode("columnstore_throughput_interval_seconds"))
	return number(panel{
		title:       "Age, in intervals",
		description: "How many intervals (THROUGHPUT_INTERVAL) ago that directory was tested which was not for the longest time.",
		unit:        units.NoUnit, width: 4,
		queries: []query{{fold("max", ago), "oldest"}},
	}, base(good), at(2, bad), at(3, worst)).Decimals(1)
}

func testTable() cog.Builder[dashboard.Panel] {
	byTest := func(metric string) string { return foldBy(byDirectory+", test", "max", onDBRoot(metric)) }
	byDirection := func(metric string) string { return foldBy(byDirectory+", test, direction", "max", onDBRoot(metric)) }
	return rows(panel{
		title:       "Tests",
		description: "One line per directory, test and direction, the slowest per core first: figures of the last run, and what iostat would have shown meanwhile.",
		unit:        units.NoUnit, width: whole, alert: "ColumnStoreThroughputLow",
	}, append(directories(), label{"test", "Test"}, label{"direction", "Direction"}), []column{
		{title: "Per core", expr: byDirection(coreRate), unit: units.BytesPerSecondSI, steps: guideline()},
		{title: "In all", expr: byDirection("columnstore_throughput_bytes_per_second"), unit: units.BytesPerSecondSI},
		{title: "Request size", expr: byDirection("columnstore_throughput_device_request_bytes"), unit: units.BytesIEC},
		{title: "Await", expr: byDirection("columnstore_throughput_device_await_seconds"), unit: units.Seconds},
		{title: "Requests/s", expr: byDirection("columnstore_throughput_device_requests_per_second"), unit: units.Short},
		{title: "Merged", expr: byDirection("columnstore_throughput_device_merged_ratio"), unit: units.PercentUnit},
		{title: "Device busy", expr: byTest("columnstore_throughput_device_utilization_ratio"), unit: units.PercentUnit},
		{title: "Processor", expr: byTest("columnstore_throughput_cpu_ratio"), unit: units.PercentUnit},
		{title: "I/O wait", expr: byTest("columnstore_throughput_iowait_ratio"), unit: units.PercentUnit},
		{title: "CRC", expr: byTest("columnstore_throughput_crc_ratio"), unit: units.PercentUnit},
	}).SortBy([]cog.Builder[common.TableSortByFieldState]{
		common.NewTableSortByFieldStateBuilder().DisplayName("Per core").Desc(false),
	})
}

func coreRates(direction string) cog.Builder[dashboard.Panel] {
	return lines(panel{
		title:       "Per core: " + direction,
		description: "Bytes per second and physical core, by test, in the last run. Dashed: the minimum of 20 MB/s, and the recommended 40 MB/s.",
		unit:        units.BytesPerSecondSI, width: half, alert: "ColumnStoreThroughputLow",
		queries: []query{
			{guided(direction), ofTest},
			{fold("max", onNode("columnstore_throughput_core_minimum_bytes_per_second")), "minimum"},
			{fold("max", onNode("columnstore_throughput_core_recommended_bytes_per_second")), "recommended"},
		},
	}).OverrideByQuery("B", dashed(fixedColor(worst))).OverrideByQuery("C", dashed(fixedColor(good)))
}

func extending() cog.Builder[dashboard.Panel] {
	of := func(test string) string { return onDBRoot(coreRate, `test="`+test+`"`, `direction="write"`) }
	return lines(panel{
		title:       "Extending against overwriting",
		description: "Rate of writes that extend a file, as imports do, in relation to writes over blocks that are allocated, as most benchmarks do. Far below 100 % it is the file system's allocation that costs.",
		unit:        units.PercentUnit, width: half,
		queries: []query{{of("write") + "\n/ ignoring (test)\n" + of("overwrite"), ofDirectory}},
	})
}

func seeks() cog.Builder[dashboard.Panel] {
	return lines(panel{
		title:       "Skip-read seeks per second",
		description: "Blocks per second that do not follow one another, over all threads.",
		unit:        units.Short, width: half,
		queries: []query{{onDBRoot("columnstore_throughput_seeks_per_second"), ofDirectory}},
	})
}
