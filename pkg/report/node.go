//go:build linux

package report

import (
	"bytes"
	"fmt"

	"github.com/columnstore/columnstore_exporter/pkg/baseline"
	"github.com/columnstore/columnstore_exporter/pkg/human"
)

// node writes what follows from all directories: the layout, the predictions and the verdict.
func (r Report) node(b *bytes.Buffer) {
	fmt.Fprintf(b, "--- %s ---\n", r.Host)
	if r.Layout != nil {
		fmt.Fprintf(b, "nearest reference layout: %s (latencies typically within a factor of %s)\n", r.layoutTitle(r.Layout.Layout), human.Number(r.Layout.Factor()))
	}
	if r.Forecast != nil {
		r.predictions(b, *r.Forecast)
	}
	if r.Verdict != nil {
		fmt.Fprintf(b, "%s: %s\n", r.Verdict.Word, r.Verdict.Sentence)
	}
}

func (r Report) layoutTitle(name string) string {
	for _, l := range r.Layouts {
		if l.Name == name {
			return l.Title
		}
	}
	return name
}

// predictions writes what the import of 10,000 rows x 250 columns should take, and on whose constant that rests.
func (r Report) predictions(b *bytes.Buffer, f baseline.Forecast) {
	now, known := f.Seconds(baseline.Now)
	if !known {
		return
	}
	fmt.Fprintf(b, "import of 10,000 x 250, estimated with the constant of %s: now %s", f.Constant.Basis, human.Seconds(now))
	if s, ok := f.Seconds(baseline.FastRollback); ok {
		fmt.Fprintf(b, ", with low-latency bulkRollback (%s) %s", human.Seconds(f.Fast), human.Seconds(s))
	}
	if s, ok := f.Seconds(baseline.AllLocal); ok {
		fmt.Fprintf(b, ", all local %s", human.Seconds(s))
	}
	b.WriteByte('\n')
	for _, dbroot := range f.Means.Assumed {
		fmt.Fprintf(b, "bulkRollback of DBroot %s is not there yet: its DBroot's latency stands for it\n", dbroot)
	}
}
