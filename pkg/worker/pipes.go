//go:build linux

package worker

import (
	"fmt"
	"io"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
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

// pipeReader reads a pipe that the runtime polls, with nothing between the poll and the read. An *os.File tells the runtime
// of each system call, for it might block, and a thread of the runtime then wakes up to see whether it does; this one
// cannot. It is for one goroutine.
type pipeReader struct {
	conn syscall.RawConn
	// attempt is read as a value, made once.
	attempt func(fd uintptr) (done bool)

	buf []byte
	n   int
	err error
}

func newPipeReader(file *os.File) (*pipeReader, error) {
	conn, err := file.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("poll a pipe: %w", err)
	}
	r := &pipeReader{conn: conn}
	r.attempt = r.read
	return r, nil
}

// Read implements io.Reader.
func (r *pipeReader) Read(b []byte) (int, error) {
	r.buf = b
	err := r.conn.Read(r.attempt)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w: %w", os.ErrClosed, err) // nothing else ends the poll
	case r.err != nil:
		return 0, os.NewSyscallError("read", r.err)
	case r.n == 0 && len(b) > 0:
		return 0, io.EOF
	}
	return r.n, nil
}

// read reports false where there is nothing to read yet.
func (r *pipeReader) read(fd uintptr) (done bool) {
	for {
		n, _, errno := unix.RawSyscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(unsafe.SliceData(r.buf))), uintptr(len(r.buf)))
		switch errno {
		case unix.EINTR:
			continue
		case unix.EAGAIN:
			return false
		case 0:
			r.n, r.err = int(n), nil
		default:
			r.n, r.err = 0, errno
		}
		return true
	}
}
