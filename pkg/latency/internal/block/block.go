// Package block is the format of the blocks of a probe file. Each block says by itself whether it is the one that was
// asked for, so that stale, zeroed, foreign and damaged data is told from good data with one look.
package block

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// HeaderSize is the bytes before the payload of a block, and so the least size of a block.
//
// All numbers are little-endian: 8 bytes of magic, 16 of file id, 8 each of block number, block size and block count,
// 4 of the payload's CRC-32C (Castagnoli) and 4 of the CRC-32C of all of the header before it.
const HeaderSize = 56

const (
	magic      = "CSPROBE\x01"
	payloadSum = HeaderSize - 8
	headerSum  = HeaderSize - 4
)

// ErrDamaged is wrapped by the errors of Parse and Verify.
var ErrDamaged = errors.New("not a block as it was written")

// Header is what a block says of itself.
type Header struct {
	// File identifies the file; no two files have the same.
	File [16]byte
	// Number is the block's place in the file, from 0.
	Number uint64
	// Size is the bytes of each block of the file, header included.
	Size uint64
	// Count is the number of blocks of the file.
	Count uint64
}

// Fill makes b, which is at least HeaderSize long, the block that h describes, with a payload from random. The payload
// should be incompressible, so that neither the file system nor the device can spare the work.
func Fill(b []byte, h Header, random io.Reader) error {
	if _, err := io.ReadFull(random, b[HeaderSize:]); err != nil {
		return fmt.Errorf("read random data: %w", err)
	}
	copy(b, magic)
	copy(b[8:], h.File[:])
	binary.LittleEndian.PutUint64(b[24:], h.Number)
	binary.LittleEndian.PutUint64(b[32:], h.Size)
	binary.LittleEndian.PutUint64(b[40:], h.Count)
	binary.LittleEndian.PutUint32(b[payloadSum:], checksum(b[HeaderSize:]))
	binary.LittleEndian.PutUint32(b[headerSum:], checksum(b[:headerSum]))
	return nil
}

// Parse reads the header of a block of which b holds at least the beginning. It does not look at the payload.
func Parse(b []byte) (Header, error) {
	if len(b) < HeaderSize {
		return Header{}, fmt.Errorf("%w: %d bytes are less than its header", ErrDamaged, len(b))
	}
	if string(b[:8]) != magic {
		return Header{}, fmt.Errorf("%w: begins with % x", ErrDamaged, b[:8])
	}
	if binary.LittleEndian.Uint32(b[headerSum:]) != checksum(b[:headerSum]) {
		return Header{}, fmt.Errorf("%w: checksum of the header", ErrDamaged)
	}
	return Header{
		File:   [16]byte(b[8:24]),
		Number: binary.LittleEndian.Uint64(b[24:]),
		Size:   binary.LittleEndian.Uint64(b[32:]),
		Count:  binary.LittleEndian.Uint64(b[40:]),
	}, nil
}

// Verify reads the header of the block b and checks the payload too. It does not allocate for a good block.
func Verify(b []byte) (Header, error) {
	h, err := Parse(b)
	if err != nil {
		return h, err
	}
	if h.Size != uint64(len(b)) {
		return h, fmt.Errorf("%w: %d bytes of a block of %d", ErrDamaged, len(b), h.Size)
	}
	if binary.LittleEndian.Uint32(b[payloadSum:]) != checksum(b[HeaderSize:]) {
		return h, fmt.Errorf("%w: checksum of the payload", ErrDamaged)
	}
	return h, nil
}

// checksum is CRC-32C, which has a processor instruction on amd64 and arm64: 4 KiB take less than a microsecond.
func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }
