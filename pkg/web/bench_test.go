package web_test

import (
	"net/http"
	"testing"
	"time"
)

// pageBudget is what rendering the page may take with 16 directories and a day of history.
const pageBudget = 20 * time.Millisecond

func BenchmarkPage(b *testing.B) {
	h := handler(b, node(16))
	b.ReportAllocs()
	for b.Loop() {
		if r := ask(b, h, http.MethodGet, "/"); r.status != http.StatusOK {
			b.Fatalf("status %d", r.status)
		}
	}
}

// The bound is wide, because the machine may be busy: the benchmark prints the figure.
func TestPageIsRenderedInTime(t *testing.T) {
	h := handler(t, node(16))
	best := time.Hour
	for range 10 {
		start := time.Now()
		ask(t, h, http.MethodGet, "/")
		best = min(best, time.Since(start))
	}
	t.Logf("best of 10: %v", best)
	if best > 5*pageBudget {
		t.Errorf("the page took %v at best, the budget is %v", best, pageBudget)
	}
}
