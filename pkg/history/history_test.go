package history_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/history"
)

func TestDayWeighsByCountAndForgetsAfter24Hours(t *testing.T) {
	start := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	var d history.Day
	d.Add(start, 1, 1)
	d.Add(start.Add(time.Minute), 4, 2)
	d.Add(start.Add(10*time.Minute), 5, 1)

	got := d.Points(start.Add(11 * time.Minute))
	want := []history.Point{{Time: start, Mean: 3}, {Time: start.Add(10 * time.Minute), Mean: 5}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("points after 11 minutes (-want +got):\n%s", diff)
	}
	if got := d.Points(start.Add(24 * time.Hour)); len(got) != 1 || got[0].Mean != 5 {
		t.Errorf("after 24 h the first step must be gone: %v", got)
	}
	d.Add(start.Add(24*time.Hour), 7, 1)
	if got := d.Points(start.Add(24 * time.Hour)); len(got) != 2 || got[1].Mean != 7 {
		t.Errorf("a step's place must be taken by the step a day later: %v", got)
	}
}

func TestRecentKeepsTheLatest(t *testing.T) {
	r := history.NewRecent(3)
	for _, v := range []float64{1, 2, 3, 4, 5} {
		r.Add(v)
	}
	got := r.Values()
	slices.Sort(got)
	if diff := cmp.Diff([]float64{3, 4, 5}, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	var none history.Recent
	none.Add(1)
	if len(none.Values()) != 0 {
		t.Error("the zero value must keep nothing")
	}
}

func TestRecentDoesNotAllocate(t *testing.T) {
	r := history.NewRecent(4)
	if n := testing.AllocsPerRun(100, func() { r.Add(1) }); n != 0 {
		t.Errorf("%v allocations for a value", n)
	}
}
