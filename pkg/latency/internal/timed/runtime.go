//go:build linux && (amd64 || arm64)

// Package timed does requests to storage at a given time, and takes their time, with nothing of the Go runtime in it.
//
// A Go system call costs more than the call. While it lasts the runtime takes the thread's right to run Go code away;
// on return the thread must get it back, which wakes other threads on the way, and may wait for one behind goroutines
// that run. All that would be part of the measurement: tens of microseconds on an idle machine, and as many
// milliseconds on a busy one. So here the sleep, the request and the looks at the clock on both sides are one system
// call to the runtime: it is left before the sleep and entered again when the measurement is complete. As in any
// system call the thread may hang in there without holding up the others or the garbage collector.
package timed

import (
	_ "unsafe" // for go:linkname
)

// The two functions are brackets around a call that blocks. The runtime keeps them reachable for other packages, see the
// comments there. What is between them must not grow the stack, allocate, panic or store pointers.
//
// Those of package syscall begin with entersyscall, which leaves the right to run Go code with the thread for up to 10 ms,
// in case that the call is short: for so long a thread of the runtime wakes up every 20 µs to look. That would be a quarter
// of the processor time of a worker, and beside the read.

//go:linkname entersyscallblock runtime.entersyscallblock
func entersyscallblock()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()
