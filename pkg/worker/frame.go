//go:build linux

package worker

import (
	"encoding/binary"
	"fmt"
)

// A frame is, little-endian: the body's length (4 bytes), the protocol's version (1), the kind (1), the task's id (8),
// the body.
const (
	version    = 1
	headerSize = 4 + 1 + 1 + 8
)

type kind uint8

const (
	// To the child. A run's body is the task's name after its length (1 byte), the target after its length (2 bytes),
	// the params. A cancel has none.
	kindRun kind = iota + 1
	kindCancel
	// To the daemon. An operation's body is its time on CLOCK_MONOTONIC (8 bytes) and its name; an event's, a result's
	// and an error's are the payload, the JSON and the text.
	kindOperation
	kindEvent
	kindResult
	kindError
)

const (
	maxOperation = 8 + MaxName
	maxRun       = 1 + MaxName + 2 + MaxTarget + MaxMessage
)

// limit is the largest body of a frame of the kind; negative for what is no kind.
func (k kind) limit() int {
	switch k {
	case kindRun:
		return maxRun
	case kindCancel:
		return 0
	case kindOperation:
		return maxOperation
	case kindEvent:
		return MaxEvent
	case kindResult, kindError:
		return MaxMessage
	default:
		return -1
	}
}

type frame struct {
	kind kind
	id   uint64
	body []byte
}

func appendHeader(b []byte, k kind, id uint64, size int) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(size))
	b = append(b, version, byte(k))
	return binary.LittleEndian.AppendUint64(b, id)
}

func appendFrame(b []byte, k kind, id uint64, body []byte) []byte {
	return append(appendHeader(b, k, id, len(body)), body...)
}

func appendOperation(b []byte, id uint64, name string, at int64) []byte {
	name = name[:min(len(name), MaxName)]
	b = appendHeader(b, kindOperation, id, 8+len(name))
	b = binary.LittleEndian.AppendUint64(b, uint64(at))
	return append(b, name...)
}

func parseOperation(body []byte) (name []byte, at int64, err error) {
	if len(body) < 8 {
		return nil, 0, fmt.Errorf("operation of %d bytes is too short for its time", len(body))
	}
	return body[8:], int64(binary.LittleEndian.Uint64(body)), nil
}

// order is the body of a run.
type order struct {
	name   string
	target string
	params []byte
}

func (o order) check() error {
	switch {
	case len(o.name) > MaxName:
		return fmt.Errorf("name of %d bytes exceeds %d", len(o.name), MaxName)
	case len(o.target) > MaxTarget:
		return fmt.Errorf("target of %d bytes exceeds %d", len(o.target), MaxTarget)
	case len(o.params) > MaxMessage:
		return fmt.Errorf("params of %d bytes exceed %d", len(o.params), MaxMessage)
	}
	return nil
}

// appendRun appends the frame of an order that passes its check.
func appendRun(b []byte, id uint64, o order) []byte {
	b = appendHeader(b, kindRun, id, 1+len(o.name)+2+len(o.target)+len(o.params))
	b = append(b, byte(len(o.name)))
	b = append(b, o.name...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(o.target)))
	b = append(b, o.target...)
	return append(b, o.params...)
}

// parseRun copies what it returns out of the body.
func parseRun(body []byte) (order, error) {
	name, rest, ok := cut(body, 1)
	if !ok {
		return order{}, fmt.Errorf("run of %d bytes is too short for its name", len(body))
	}
	target, params, ok := cut(rest, 2)
	if !ok {
		return order{}, fmt.Errorf("run of %d bytes is too short for its target", len(body))
	}
	o := order{name: string(name), target: string(target), params: append([]byte(nil), params...)}
	return o, o.check()
}

// cut takes a field off b that follows its own length of the given width.
func cut(b []byte, width int) (field, rest []byte, ok bool) {
	if len(b) < width {
		return nil, nil, false
	}
	size := int(b[0])
	if width == 2 {
		size = int(binary.LittleEndian.Uint16(b))
	}
	if len(b) < width+size {
		return nil, nil, false
	}
	return b[width : width+size], b[width+size:], true
}
