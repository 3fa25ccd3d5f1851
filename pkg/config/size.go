package config

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// sizeText leaves out what humanize reads but people read in two ways: 4k may be 4000 or 4096, 4kb may be bits.
var sizeText = regexp.MustCompile(`^\d+ ?(B|[kKMGTPE]B|[KMGTPE]iB?)?$`)

// Size is a number of bytes, from 0 to 2⁶³−1.
type Size int64

// ParseSize reads a whole number with or without a unit: 4096, 4KiB and 4Ki are the same, 4KB and 4kB are 4000.
func ParseSize(text string) (Size, error) {
	if !sizeText.MatchString(text) {
		return 0, fmt.Errorf("%s is not a size; write it like 4096, 4KiB or 1MiB", quote(text))
	}
	bytes, err := humanize.ParseBytes(text)
	if err != nil || bytes > math.MaxInt64 {
		return 0, fmt.Errorf("%s is more than %d bytes, the largest size", quote(text), math.MaxInt64)
	}
	return Size(bytes), nil
}

// UnmarshalText is ParseSize.
func (s *Size) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSize(string(text))
	return err
}

// String returns the size in the largest binary unit that leaves no remainder. ParseSize reads it back.
func (s Size) String() string {
	const units = "KMGTPE"
	number, unit := int64(s), ""
	for i := 0; number != 0 && number%1024 == 0; i++ {
		number, unit = number/1024, units[i:i+1]+"iB"
	}
	return strconv.FormatInt(number, 10) + unit
}

// FreeSpace is how much of a file system stays free: a share of it, or so many bytes. One of the fields is 0.
type FreeSpace struct {
	// Percent is at least 0 and below 100.
	Percent float64
	Bytes   Size
}

// percentText is what a share looks like, without the sign.
var percentText = regexp.MustCompile(`^\d{1,2}(\.\d+)?$`)

// UnmarshalText reads a share like 10% or a size like 20GiB.
func (f *FreeSpace) UnmarshalText(text []byte) error {
	share, isShare := strings.CutSuffix(string(text), "%")
	if !isShare {
		bytes, err := ParseSize(string(text))
		*f = FreeSpace{Bytes: bytes}
		if err != nil {
			return fmt.Errorf("%w, or as a share of the file system like 10%%", err)
		}
		return nil
	}
	if !percentText.MatchString(share) {
		return fmt.Errorf("%s is not a share from 0%% to below 100%%; write it like 10%% or 2.5%%", quote(string(text)))
	}
	percent, err := strconv.ParseFloat(share, 64)
	if err != nil {
		return fmt.Errorf("read share %s: %w", quote(share), err)
	}
	*f = FreeSpace{Percent: percent}
	return nil
}

// Of returns the bytes to be left free on a file system of that size.
func (f FreeSpace) Of(fileSystem Size) Size {
	return max(f.Bytes, Size(math.Ceil(float64(fileSystem)*f.Percent/100)))
}

// String returns what UnmarshalText reads.
func (f FreeSpace) String() string {
	if f.Percent > 0 {
		return strconv.FormatFloat(f.Percent, 'f', -1, 64) + "%"
	}
	return f.Bytes.String()
}
