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
	if len(header) > 0 && errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return frame{}, err
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
	if headerSize+size <= r.in.Size() {
		b, err := r.in.Peek(headerSize + size)
		if err != nil {
			return nil, truncated(err)
		}
		_, err = r.in.Discard(len(b))
		return b[headerSize:], err
	}
	if _, err := r.in.Discard(headerSize); err != nil {
		return nil, err
	}
	b := make([]byte, size)
	_, err := io.ReadFull(r.in, b)
	return b, truncated(err)
}

func truncated(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
