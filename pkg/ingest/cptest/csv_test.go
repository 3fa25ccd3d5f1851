package cptest_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"hash/crc32"
	"io"
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cptest"
)

func TestWriteIsTheSameAtEveryCall(t *testing.T) {
	var first, second bytes.Buffer
	content, err := cptest.Write(t.Context(), &first, 300)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cptest.Write(t.Context(), &second, 300); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two calls differ")
	}
	want := cptest.Content{Rows: 300, Bytes: int64(first.Len()), Checksum: crc32.Checksum(first.Bytes(), crc32.MakeTable(crc32.Castagnoli))}
	if diff := cmp.Diff(want, content); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}

// A release that writes other rows makes its trials incomparable with those before.
func TestWriteIsTheSameInEveryRelease(t *testing.T) {
	content, err := cptest.Describe(t.Context(), 10_000)
	if err != nil {
		t.Fatal(err)
	}
	want := cptest.Content{Rows: 10_000, Bytes: 16_073_279, Checksum: 0x72f20a41}
	if diff := cmp.Diff(want, content); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}

func TestValuesHaveTheDocumentedShapes(t *testing.T) {
	const rows = 400
	var text bytes.Buffer
	if _, err := cptest.Write(t.Context(), &text, rows); err != nil {
		t.Fatal(err)
	}
	number, hex := regexp.MustCompile(`^(0|[1-9]\d{0,3}|10000)\.\d\d$`), regexp.MustCompile(`^[0-9a-f]{2}$`)
	groups, widths, digits := map[string]int{}, map[int]int{}, map[string]int{}
	records, err := csv.NewReader(bytes.NewReader(text.Bytes())).ReadAll()
	if err != nil || len(records) != rows {
		t.Fatalf("%d rows (%v)", len(records), err)
	}
	for _, record := range records {
		if len(record) != 250 {
			t.Fatalf("%d fields", len(record))
		}
		groups[record[0]]++
		for _, field := range record[1:125] {
			if value, err := strconv.ParseFloat(field, 64); err != nil || value > 10_000 || !number.MatchString(field) {
				t.Fatalf("number %q (%v)", field, err)
			}
			widths[len(field)]++
		}
		for _, field := range record[125:] {
			if !hex.MatchString(field) {
				t.Fatalf("column %q, want two hex digits", field)
			}
			digits[field]++
		}
	}
	if len(groups) != 11 || groups["10"] == 0 || groups["10"] > groups["5"] {
		t.Errorf("groups %v, want 0 to 10, the ends half as often", groups)
	}
	if len(digits) != 256 || widths[7] < 8*widths[6] || widths[6] < 8*widths[5] {
		t.Errorf("%d different columns, widths of numbers %v: not evenly spread", len(digits), widths)
	}
	if first, _, _ := bytes.Cut(text.Bytes(), []byte(",")); !regexp.MustCompile(`^"\d+"$`).Match(first) {
		t.Errorf("the group is written as %s, want it in quotes", first)
	}
}

type broken struct{ after int }

var errBroken = errors.New("broken")

func (b *broken) Write(p []byte) (int, error) {
	b.after--
	if b.after < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

func TestWriteStops(t *testing.T) {
	if _, err := cptest.Write(t.Context(), &broken{after: 2}, 10_000); !errors.Is(err, errBroken) {
		t.Errorf("error %v, want that of the writer", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cptest.Write(ctx, io.Discard, 10_000); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func BenchmarkWrite(b *testing.B) {
	const rows = 10_000
	content, err := cptest.Describe(b.Context(), rows)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(content.Bytes)
	for b.Loop() {
		if _, err := cptest.Write(b.Context(), io.Discard, rows); err != nil {
			b.Fatal(err)
		}
	}
}
