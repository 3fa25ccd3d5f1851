//go:build linux

package throughput

import (
	"errors"
	"fmt"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/scratch"
)

// errRoom says that not even one block of each thread has room.
var errRoom = errors.New("no room")

// guardInterval is the time between two looks at the free space while a test runs.
const guardInterval = 100 * time.Millisecond

// room is the space that a run may take.
type room struct {
	// blocks is how many blocks each file may have, and limit which of Result.EndedEarly ends its growth.
	blocks int64
	limit  string
	// floor is the bytes that stay free on the file system.
	floor int64
}

// slack is left for what the file system itself needs to hold so many bytes.
func slack(bytes int64) int64 { return 1<<20 + bytes/64 }

// measure divides the space between the floor and what is available now, MaxBytes at most. The error for too little of it
// wraps errRoom.
func measure(dir *scratch.Dir, spec Spec) (room, error) {
	total, available, err := dir.Space()
	if err != nil {
		return room{}, err
	}
	r := room{limit: EndedMaxBytes, floor: spec.MinFree.of(total)}
	bytes := spec.MaxBytes
	// A file system that does not know its size has no floor.
	if free := available - r.floor; total > 0 && free-slack(free) < bytes {
		bytes, r.limit = free-slack(free), EndedMinFree
	}
	r.blocks = bytes / spec.BlockSize / int64(spec.Threads)
	if r.blocks < 1 {
		return r, fmt.Errorf("take a block of %d bytes for each of %d threads in %s, where %d of %d bytes are free and %d are to stay: %w",
			spec.BlockSize, spec.Threads, spec.Directory, available, total, r.floor, errRoom)
	}
	return r, nil
}

// guard ends the test when others take so much of the file system that less than the floor stays free, until over is
// closed. What cannot be asked is not below.
func (r room) guard(dir *scratch.Dir, own *flight, t *test, over <-chan struct{}) {
	ticker := time.NewTicker(guardInterval)
	defer ticker.Stop()
	for {
		select {
		case <-over:
			return
		case <-ticker.C:
		}
		total, available, err := dir.Space()
		own.end()
		if err == nil && total > 0 && available < r.floor {
			t.end(EndedMinFree, nil)
		}
	}
}
