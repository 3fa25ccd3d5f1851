//go:build linux

package testbed

import (
	"runtime"
	"sync"
	"testing"
)

// Awake keeps all processors from halting until release is called, by loops of the class SCHED_IDLE, which give way to
// everybody else at once. To wake a halted processor can take a virtual machine longer than what it is woken for, and all
// of that counts as processor time of whoever is woken.
func Awake(t testing.TB) (release func()) {
	t.Helper()
	var ends []func()
	release = sync.OnceFunc(func() {
		for _, end := range ends {
			end()
		}
	})
	t.Cleanup(release)
	for range runtime.NumCPU() {
		loop := command(t, "chrt", "--idle", "0", "sh", "-c", "while :; do :; done")
		if err := loop.Start(); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, func() {
			_ = loop.Process.Kill()
			_ = loop.Wait() // it was killed
		})
	}
	return release
}
