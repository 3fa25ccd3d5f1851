//go:build linux

// Package human writes figures for people: three significant digits and the unit that keeps the number short.
package human

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// None stands for a figure that is not there.
const None = "–"

// Seconds writes a duration in seconds: 452 µs, 3.3 ms, 1.25 s, 31 s. Whatever is not finite is None.
func Seconds(s float64) string {
	return si(s, "s")
}

// BytesPerSecond writes a rate in decimal units, as the guideline for throughput has it: 182 MB/s.
func BytesPerSecond(b float64) string {
	return si(b, "B/s")
}

// Bytes writes a size in binary units: 4 KiB, 1 MiB. Negative sizes are None.
func Bytes(n int64) string {
	if n < 0 {
		return None
	}
	return strings.Replace(humanize.IBytes(uint64(n)), ".0 ", " ", 1)
}

// Number writes x with three significant digits (all of them before the point) and no exponent, trailing zeros dropped.
// Whatever is not finite is None.
func Number(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return None
	}
	if math.Abs(x) >= 1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(round(x, 3), 'f', -1, 64)
}

// Ratio writes a ratio with two significant digits, whole where it is large: 0.44, 5.7, 120.
func Ratio(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return None
	}
	if math.Abs(x) >= 10 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(round(x, 2), 'f', -1, 64)
}

// Every writes the interval of something that recurs: 1 s, 90 s, 5 min, 6 h.
func Every(seconds float64) string {
	for _, unit := range []struct {
		length float64
		name   string
	}{{3600, " h"}, {60, " min"}} {
		if n := seconds / unit.length; n >= 1 && n == math.Trunc(n) {
			return Number(n) + unit.name
		}
	}
	return Seconds(seconds)
}

// Path writes a path on one line: as it is, and quoted as Go does where it holds what a terminal would not show as one
// printed character.
func Path(path string) string {
	if strings.ContainsFunc(path, hidden) {
		return strconv.Quote(path)
	}
	return path
}

// Line writes a text on one line: what a terminal would not show as one printed character is escaped as Go does.
func Line(text string) string {
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if hidden(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hidden(r rune) bool { return r == utf8.RuneError || !strconv.IsPrint(r) }

func si(x float64, unit string) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return None
	}
	// Rounded first, so that 999.6 µs is 1 ms and never 1000 µs.
	value, prefix := humanize.ComputeSI(round(x, 3))
	if unit == "s" && math.Abs(x) >= 1 {
		value, prefix = x, ""
	}
	return Number(value) + " " + prefix + unit
}

// round keeps so many significant digits.
func round(x float64, digits int) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		return x
	}
	return r
}
