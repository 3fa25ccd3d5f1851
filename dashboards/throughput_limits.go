//go:build linux

package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

func threadTime() cog.Builder[dashboard.Panel] {
	share := func(of, legend string) query {
		return query{foldBy(byNode+", test", "avg", onDBRoot("columnstore_throughput_"+of+"_ratio")), legend + " {{instance}} {{test}}"}
	}
	return lines(panel{
		title:       "What the threads' time went to",
		description: "Shares of one core-second per thread-second, the mean of the chosen directories: processor, the part of it that was CRC, and waiting for storage. With a large CRC share the check was measured too.",
		unit:        units.PercentUnit, width: half,
		queries: []query{share("cpu", "processor"), share("crc", "CRC"), share("iowait", "I/O wait")},
	})
}

func requestSize() cog.Builder[dashboard.Panel] {
	return lines(panel{
		title:       "Device request size",
		description: "Mean size of the requests that reached the device (iostat's areq-sz). Dashed: the largest that its queue lets through; larger blocks are split.",
		unit:        units.BytesIEC, width: half,
		queries: []query{
			{onDBRoot("columnstore_throughput_device_request_bytes"), ofDirection},
			{foldBy(byDirectory, "max", onDBRoot("columnstore_throughput_device_maximum_request_bytes")), ofDirectory + " largest"},
		},
	}).OverrideByQuery("B", dashed())
}

func deviceAwait() cog.Builder[dashboard.Panel] {
	return latencies(panel{
		title:       "Device await",
		description: "Mean time of the device's requests, queueing included (iostat's r_await and w_await), over the test.",
		width:       half,
		queries:     []query{{onDBRoot("columnstore_throughput_device_await_seconds"), ofDirection}},
	})
}

func deviceUse() cog.Builder[dashboard.Panel] {
	return lines(panel{
		title:       "Device utilization and queue",
		description: "Share of the test in which the device had requests (iostat's %util), and, dashed, on the right axis, how many it had (aqu-sz). A device that works in parallel can take more at 100 %.",
		unit:        units.PercentUnit, width: half,
		queries: []query{
			{onDBRoot("columnstore_throughput_device_utilization_ratio"), ofTest + " busy"},
			{onDBRoot("columnstore_throughput_device_queue_length"), ofTest + " queue"},
		},
	}).OverrideByQuery("B", onTheRight(units.Short))
}

func nfsTime() cog.Builder[dashboard.Panel] {
	nfs := func(figure, legend string) query {
		return query{onDBRoot("columnstore_throughput_nfs_" + figure), ofDirection + " " + legend}
	}
	return lines(panel{
		title:       "NFS: what an operation's time went to",
		description: "On NFS, nfsiostat's figures over the test: the round trip to the server, the wait in the client's queue before it, and the whole; dashed, on the right axis, operations that were sent again.",
		unit:        units.Seconds, width: half,
		queries: []query{
			nfs("rtt_seconds", "round trip"), nfs("queue_seconds", "queue"), nfs("execute_seconds", "in all"), nfs("retransmissions", "sent again"),
		},
	}).OverrideByQuery("D", onTheRight(units.Short))
}

// onTheRight draws dashed, on an axis of its own.
func onTheRight(unit string) properties {
	return dashed(
		dashboard.DynamicConfigValue{Id: "unit", Value: unit},
		dashboard.DynamicConfigValue{Id: "custom.axisPlacement", Value: common.AxisPlacementRight},
	)
}

func runsAndFailures() cog.Builder[dashboard.Panel] {
	return counts(panel{
		title:       "Runs, failures and skips",
		description: "Runs that were begun, failures, and runs that were due and not begun, by reason.",
		width:       half,
		queries: []query{
			{events(onDBRoot("columnstore_throughput_runs_total")), "begun: " + ofDirectory},
			{events(onDBRoot("columnstore_throughput_failures_total")), "failed, {{reason}}: " + ofDirectory},
			{events(onDBRoot("columnstore_throughput_skipped_total")), "skipped, {{reason}}: " + ofDirectory},
		},
	})
}
