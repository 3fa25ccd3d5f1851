//go:build linux

package worker

import (
	"fmt"
	"os"
)

// ends are the daemon's ends of a child's three pipes.
type ends struct {
	in  *os.File // what the child reads
	out *os.File // what it answers
	log *os.File // its standard error
}

// newEnds makes the pipes. The files are the child's ends, in the order of its descriptors.
func newEnds() (*ends, [3]*os.File, error) {
	var made []*os.File
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(made...)
			return nil, [3]*os.File{}, fmt.Errorf("make pipe to worker: %w", err)
		}
		made = append(made, r, w)
	}
	return &ends{in: made[1], out: made[2], log: made[4]}, [3]*os.File{made[0], made[3], made[5]}, nil
}

// close may be called again: what is closed stays so.
func (e *ends) close() { closeAll(e.in, e.out, e.log) }

// closeAll closes pipes, which have nothing to lose: the error can only be that one is closed already.
func closeAll(files ...*os.File) {
	for _, file := range files {
		_ = file.Close()
	}
}
