package throughput_test

import (
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
)

func TestValidate(t *testing.T) {
	cases := map[string]struct {
		spoil func(*throughput.Spec)
		// mentions is what the error must name; none for a spec that is well.
		mentions string
	}{
		"well":                   {spoil: func(*throughput.Spec) {}},
		"smallest blocks":        {spoil: func(s *throughput.Spec) { s.BlockSize = throughput.MinBlockSize }},
		"room for a block each":  {spoil: func(s *throughput.Spec) { s.MaxBytes = 2 * s.BlockSize }},
		"no tests":               {spoil: func(s *throughput.Spec) { s.Tests = nil }, mentions: "no tests"},
		"unknown test":           {spoil: func(s *throughput.Spec) { s.Tests = append(s.Tests, "reed") }, mentions: `"reed"`},
		"layout is no test":      {spoil: func(s *throughput.Spec) { s.Tests = []throughput.Test{throughput.LayOut} }, mentions: `"layout"`},
		"no time":                {spoil: func(s *throughput.Spec) { s.Duration = 0 }, mentions: "duration"},
		"negative threads":       {spoil: func(s *throughput.Spec) { s.Threads = -1 }, mentions: "threads"},
		"small blocks":           {spoil: func(s *throughput.Spec) { s.BlockSize = 512 }, mentions: "block size 512"},
		"large blocks":           {spoil: func(s *throughput.Spec) { s.BlockSize = throughput.MaxBlockSize + 512 }, mentions: "block size"},
		"odd blocks":             {spoil: func(s *throughput.Spec) { s.BlockSize = 5000 }, mentions: "block size 5000"},
		"less than a block each": {spoil: func(s *throughput.Spec) { s.MaxBytes = 2*s.BlockSize - 1 }, mentions: "2 threads"},
		"more than all free":     {spoil: func(s *throughput.Spec) { s.MinFree.Percent = 101 }, mentions: "free space"},
		"less than none free":    {spoil: func(s *throughput.Spec) { s.MinFree.Bytes = -1 }, mentions: "free space"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			spec := small(t.TempDir(), throughput.Write)
			c.spoil(&spec)
			err := spec.Validate()
			if c.mentions == "" && err != nil || c.mentions != "" && (err == nil || !mentions(err.Error(), c.mentions)) {
				t.Fatalf("Validate() = %v, want %q in it", err, c.mentions)
			}
			if err == nil {
				return
			}
			if got := throughput.Run(t.Context(), spec, silent{}); got.Failure != reason.EINVAL || got.Error != err.Error() {
				t.Errorf("Run() = %+v, want %v", got, err)
			}
		})
	}
}
