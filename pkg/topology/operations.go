//go:build linux

package topology

import "github.com/columnstore/columnstore_exporter/pkg/monotonic"

// Operations is told of each operation on a path just before it begins (open, stat, read, …), with the time on
// CLOCK_MONOTONIC in nanoseconds, so that a hang can be put down to it. An empty name says that none is under way.
// nil means that nobody listens.
type Operations func(name string, at int64)

func (o Operations) begin(name string) {
	if o == nil {
		return
	}
	o(name, monotonic.Now())
}

func (o Operations) end() { o.begin("") }
