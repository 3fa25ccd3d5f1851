package cptest

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
)

const (
	// chunk is how much is written at once.
	chunk = 128 << 10
	// longestRow is an upper bound of the bytes of a row: 5 for the group, 9 for a number, 5 for two hex digits.
	longestRow = 5 + 9*numbers + 5*(lastCol-firstCol+1)
	// maxCents is the largest number, 10000.00, in hundredths.
	maxCents = 1_000_000

	hexDigits = "0123456789abcdef"
	// pairs holds the numbers from 00 to 99.
	pairs = "00010203040506070809" + "10111213141516171819" + "20212223242526272829" + "30313233343536373839" +
		"40414243444546474849" + "50515253545556575859" + "60616263646566676869" + "70717273747576777879" +
		"80818283848586878889" + "90919293949596979899"
)

// Content tells what a CSV holds.
type Content struct {
	Rows, Bytes int64
	// Checksum is the CRC-32C of all bytes.
	Checksum uint32
}

// Write writes rows of CSV, the same at every call: fields parted by commas, texts in double quotes, lines ended by \n.
// The values have the shapes of the published test: the group is a number from 0 to 10 rounded, as text; the numbers run
// from 0.00 to 10000.00; the columns hold two hex digits.
func Write(ctx context.Context, w io.Writer, rows int64) (Content, error) {
	content := Content{Rows: rows}
	random := rand.New(rand.NewPCG(250, 10_000))
	table := crc32.MakeTable(crc32.Castagnoli)
	buffer := make([]byte, 0, chunk+longestRow)
	for row := int64(1); row <= rows; row++ {
		buffer = appendRow(buffer, random)
		if len(buffer) < chunk && row < rows {
			continue
		}
		if err := ctx.Err(); err != nil {
			return content, fmt.Errorf("write row %d of %d: %w", row, rows, err)
		}
		if _, err := w.Write(buffer); err != nil {
			return content, err //nolint:wrapcheck // the writer knows what it is
		}
		content.Checksum = crc32.Update(content.Checksum, table, buffer)
		content.Bytes += int64(len(buffer))
		buffer = buffer[:0]
	}
	return content, nil
}

// appendRow spends one random number on three numbers of 21 bits or on eight columns of 8 bits.
func appendRow(b []byte, random *rand.Rand) []byte {
	b = appendGroup(b, random.Uint64())
	var bits uint64
	for i := range numbers {
		if i%3 == 0 {
			bits = random.Uint64()
		}
		b = append(b, ',')
		b = appendCents(b, bits&(1<<21-1)*(maxCents+1)>>21)
		bits >>= 21
	}
	for i := range lastCol - firstCol + 1 {
		if i%8 == 0 {
			bits = random.Uint64()
		}
		b = append(b, ',', '"', hexDigits[bits>>4&15], hexDigits[bits&15], '"')
		bits >>= 8
	}
	return append(b, '\n')
}

// appendGroup writes ROUND(RAND()*10): 0 and 10 come half as often as the others.
func appendGroup(b []byte, bits uint64) []byte {
	if group := (bits>>32*20>>32 + 1) / 2; group < 10 {
		return append(b, '"', hexDigits[group], '"')
	}
	return append(b, '"', '1', '0', '"')
}

// appendCents writes a number of hundredths with two decimals.
func appendCents(b []byte, cents uint64) []byte {
	whole, cents := cents/100, cents%100
	high, low := whole/100*2, whole%100*2
	switch {
	case whole >= 10_000:
		b = append(b, '1', '0', '0', '0', '0')
	case whole >= 1000:
		b = append(b, pairs[high], pairs[high+1], pairs[low], pairs[low+1])
	case whole >= 100:
		b = append(b, pairs[high+1], pairs[low], pairs[low+1])
	case whole >= 10:
		b = append(b, pairs[low], pairs[low+1])
	default:
		b = append(b, pairs[low+1])
	}
	return append(b, '.', pairs[cents*2], pairs[cents*2+1])
}
