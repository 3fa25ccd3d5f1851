//go:build linux

package report

import (
	"strconv"

	"github.com/columnstore/columnstore_exporter/pkg/human"
	"github.com/columnstore/columnstore_exporter/pkg/iostat"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

// devices are the columns of iostat -x over each test.
func devices(results []throughput.Result) table {
	t := table{layout: "lrrrrrrrrrrr"}
	t.add("iostat", "r/s", "rareq-sz", "r_await", "%rrqm", "w/s", "wareq-sz", "w_await", "%wrqm", "aqu-sz", "%util", "largest request")
	for _, r := range results {
		if d := r.Device; d != nil {
			cells := append([]string{string(r.Test)}, direction(d.Read)...)
			cells = append(cells, direction(d.Write)...)
			t.add(append(cells, human.Number(d.QueueLength), percent(d.Utilization), human.Bytes(d.MaximumRequestBytes))...)
		}
	}
	return t
}

func direction(d *iostat.Direction) []string {
	if d == nil {
		return []string{human.None, human.None, human.None, human.None}
	}
	return []string{human.Number(d.RequestsPerSecond), human.Bytes(int64(d.RequestBytes)), human.Seconds(d.AwaitSeconds), percent(d.MergedRatio)}
}

// calls are the columns of nfsiostat over each test.
func calls(results []throughput.Result) table {
	t := table{layout: "llrrrrr"}
	t.add("nfsiostat", "", "ops/s", "RTT", "exe", "queue", "retrans")
	for _, r := range results {
		if r.NFS != nil {
			t.call(r.Test, "READ", r.NFS.Read)
			t.call(r.Test, "WRITE", r.NFS.Write)
		}
	}
	return t
}

func (t *table) call(test throughput.Test, procedure string, c *iostat.Calls) {
	if c != nil {
		t.add(string(test), procedure, human.Number(c.CallsPerSecond), human.Seconds(c.RTTSeconds), human.Seconds(c.ExecuteSeconds),
			human.Seconds(c.QueueSeconds), strconv.FormatUint(c.Retransmissions, 10))
	}
}
