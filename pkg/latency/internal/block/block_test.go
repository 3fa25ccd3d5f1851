package block_test

import (
	"bytes"
	"compress/flate"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/latency/internal/block"
)

var header = block.Header{File: [16]byte{1, 2, 3}, Number: 7, Size: 4096, Count: 256}

func good(t testing.TB) []byte {
	t.Helper()
	b := make([]byte, header.Size)
	if err := block.Fill(b, header, rand.NewChaCha8([32]byte{})); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestVerify(t *testing.T) {
	got, err := block.Verify(good(t))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(header, got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryFlippedBitIsSeen(t *testing.T) {
	b := good(t)
	for i := range b {
		b[i] ^= 1 << (i % 8)
		if _, err := block.Verify(b); !errors.Is(err, block.ErrDamaged) {
			t.Fatalf("byte %d flipped: %v", i, err)
		}
		b[i] ^= 1 << (i % 8)
	}
}

func TestDamage(t *testing.T) {
	for name, b := range map[string][]byte{
		"empty":     nil,
		"zeros":     make([]byte, 4096),
		"ones":      bytes.Repeat([]byte{0xff}, 4096),
		"truncated": good(t)[:4095],
		"header":    good(t)[:block.HeaderSize-1],
		"longer":    append(good(t), 0),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := block.Verify(b); !errors.Is(err, block.ErrDamaged) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestParseNeedsTheHeaderOnly(t *testing.T) {
	if got, err := block.Parse(good(t)[:block.HeaderSize]); err != nil || got != header {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestBlocksAreIncompressible(t *testing.T) {
	b := good(t)
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if packed.Len() < len(b)*99/100 {
		t.Errorf("%d bytes become %d", len(b), packed.Len())
	}
}

func TestVerifyDoesNotAllocate(t *testing.T) {
	b := good(t)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := block.Verify(b); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzHeader feeds the header reader arbitrary blocks: it must not panic, and what it takes for good must be so.
func FuzzHeader(f *testing.F) {
	f.Add([]byte{})
	f.Add(good(f))
	f.Add(good(f)[:block.HeaderSize])
	f.Add(make([]byte, 4096))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := block.Verify(b)
		if err != nil {
			if !errors.Is(err, block.ErrDamaged) {
				t.Errorf("got %v", err)
			}
			return
		}
		again := make([]byte, len(b))
		if err := block.Fill(again, h, bytes.NewReader(b[block.HeaderSize:])); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b, again) {
			t.Error("a block that verifies is not the one that its header describes")
		}
	})
}
