//go:build linux

package throughput

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/columnstore/columnstore_exporter/pkg/reason"
)

// A block is random bytes with a stamp of 16 bytes at the start of each page: the file's identity and a serial number of
// pass, block and page, little-endian. So no two pages ever written are alike, and storage that deduplicates gains nothing.
// The CRC-32C of the whole block, taken with zeros in its own place, follows the first stamp.
const (
	pageSize  = 4096
	stampSize = 16
	crcSize   = 4
)

// block is a buffer with what it is to hold.
type block struct {
	data []byte
	// number counts the blocks of the file from 0.
	number int64
	// pass is which writing of the block a read must find, counted from 0, next which one a write is.
	pass, next int64
	// sealed says that data is ready to be written.
	sealed bool
}

func (b *block) offset() int64 { return b.number * int64(len(b.data)) }

// serial tells the pages of a file apart, and those of one pass from the next. It is unique up to 2³⁴ blocks of 64 MiB and
// 2¹⁶ passes.
func (b *block) serial(pass int64, page int) uint64 {
	return uint64(pass)<<48 ^ uint64(b.number)<<14 ^ uint64(page)
}

// stamp makes the block one of file id.
func (b *block) stamp(id uint64) {
	for page := 0; page*pageSize < len(b.data); page++ {
		at := b.data[page*pageSize:]
		binary.LittleEndian.PutUint64(at, id)
		binary.LittleEndian.PutUint64(at[8:], b.serial(b.next, page))
	}
}

// checksum is the CRC-32C, which processors compute in hardware. The table is made once for all calls.
func (b *block) checksum() uint32 { return crc32.Checksum(b.data, crc32.MakeTable(crc32.Castagnoli)) }

// seal puts the checksum in.
func (b *block) seal() {
	binary.LittleEndian.PutUint32(b.data[stampSize:], 0)
	binary.LittleEndian.PutUint32(b.data[stampSize:], b.checksum())
}

// verify says how the block differs from what was written last into its place of file id: another checksum is damage, another
// stamp a block that is out of place or out of date.
func (b *block) verify(id uint64) error {
	at := b.data[stampSize : stampSize+crcSize]
	stored := binary.LittleEndian.Uint32(at)
	clear(at)
	if sum := b.checksum(); sum != stored {
		return fmt.Errorf("checksum is %08x, not %08x: %w", sum, stored, reason.ErrCorrupt)
	}
	gotID, gotSerial := binary.LittleEndian.Uint64(b.data), binary.LittleEndian.Uint64(b.data[8:])
	if gotID != id || gotSerial != b.serial(b.pass, 0) {
		return fmt.Errorf("block is stamped %016x/%016x, not %016x/%016x: %w", gotID, gotSerial, id, b.serial(b.pass, 0), reason.ErrCorrupt)
	}
	return nil
}
