package proof_test

import (
	"math"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/proof"
)

func TestLacks(t *testing.T) {
	for ratio, want := range map[float64]bool{0: true, 0.899: true, proof.Least: false, 1: false, 1.2: false} {
		if got := proof.Lacks(&ratio); got != want {
			t.Errorf("%v: got %v, want %v", ratio, got, want)
		}
	}
	if nan := math.NaN(); !proof.Lacks(&nan) {
		t.Error("NaN proves nothing")
	}
	if proof.Lacks(nil) {
		t.Error("a file system that does not account is no cache")
	}
}
