package throughput

import "testing"

func TestStride(t *testing.T) {
	for _, n := range []int64{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 30, 127, 128, 210, 1024, 30030} {
		step := stride(n)
		visited := make(map[int64]bool)
		for i := range n {
			visited[i*step%n] = true
		}
		if int64(len(visited)) != n {
			t.Errorf("step %d visits %d of %d blocks", step, len(visited), n)
		}
		if contiguous := step == 1 || step == n-1; contiguous && n > 6 {
			t.Errorf("step %d of %d blocks goes from neighbour to neighbour", step, n)
		}
	}
}
