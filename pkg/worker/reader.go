//go:build linux

package worker

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// readerSize holds the largest frame that comes often, an event.
const readerSize = 8 << 10

// frameReader reads frames without allocating, but for those that its buffer cannot hold.
type frameReader struct {
	in *bufio.Reader
}

func newFrameReader(in io.Reader) *frameReader {
	return &frameReader{in: bufio.NewReaderSize(in, readerSize)}
}

// next returns the next frame; its body is good until the next call. The error is io.EOF when the input ends between
// two frames.
func (r *frameReader) next() (frame, error) {
	header, err := r.in.Peek(headerSize)
	if errors.Is(err, io.EOF) && len(header) == 0 {
		return frame{}, io.EOF
	}
	if err != nil {
		return frame{}, unread(err)
	}
	size := int64(binary.LittleEndian.Uint32(header))
	f := frame{kind: kind(header[5]), id: binary.LittleEndian.Uint64(header[6:])}
	if header[4] != version {
		return frame{}, fmt.Errorf("frame of protocol version %d where %d is spoken", header[4], version)
	}
	if limit := f.kind.limit(); limit < 0 {
		return frame{}, fmt.Errorf("frame of unknown kind %d", f.kind)
	} else if size > int64(limit) {
		return frame{}, fmt.Errorf("frame of kind %d with %d bytes exceeds %d", f.kind, size, limit)
	}
	f.body, err = r.take(int(size))
	return f, err
}

// take skips the header and returns the body behind it.
func (r *frameReader) take(size int) ([]byte, error) {
	size += headerSize
	if size > r.in.Size() {
		b := make([]byte, size)
		if _, err := io.ReadFull(r.in, b); err != nil {
			return nil, unread(err)
		}
		return b[headerSize:], nil
	}
	b, err := r.in.Peek(size)
	if err != nil {
		return nil, unread(err)
	}
	if _, err := r.in.Discard(size); err != nil {
		return nil, unread(err)
	}
	return b[headerSize:], nil
}

// unread is the error of a frame that has begun.
func unread(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("frame: %w", err)
}
