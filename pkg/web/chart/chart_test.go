package chart_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/web/chart"
)

var now = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

// mark is one element of a drawing.
type mark struct {
	name, class, text string
	attributes        map[string]string
}

// marks takes a drawing apart, and refuses what a strict policy would.
func marks(t *testing.T, drawing template.HTML) []mark {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(string(drawing)))
	var out []mark
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("no well-formed SVG: %v\n%s", err, drawing)
		}
		switch token := token.(type) {
		case xml.StartElement:
			m := mark{name: token.Name.Local, attributes: make(map[string]string)}
			for _, a := range token.Attr {
				m.attributes[a.Name.Local] = a.Value
			}
			if _, styled := m.attributes["style"]; styled || m.name == "style" || m.name == "script" {
				t.Errorf("<%s %v> needs unsafe-inline", m.name, m.attributes)
			}
			m.class = m.attributes["class"]
			out = append(out, m)
		case xml.CharData:
			out[len(out)-1].text += string(token)
		}
	}
}

func withClass(all []mark, class string) []mark {
	return slices.DeleteFunc(slices.Clone(all), func(m mark) bool { return m.class != class })
}

// corner is the first point of a path, in drawing units.
func corner(t *testing.T, m mark) (x, y float64) {
	t.Helper()
	if _, err := fmt.Sscanf(m.attributes["d"], "M %f %f", &x, &y); err != nil {
		t.Fatalf("path %q: %v", m.attributes["d"], err)
	}
	return x, y
}

func width(t *testing.T, all []mark) float64 {
	t.Helper()
	w, err := strconv.ParseFloat(strings.Fields(all[0].attributes["viewBox"])[2], 64)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestDistributionIsLogarithmic(t *testing.T) {
	scale := chart.ScaleFor(450e-6)
	if scale != (chart.Scale{Low: 100e-6, High: 10e-3}) {
		t.Fatalf("scale %+v, want 100 µs to 10 ms", scale)
	}
	all := marks(t, chart.Distribution([]float64{450e-6, 460e-6, 2e-3}, scale, 1e-3, nil))
	x, _ := corner(t, withClass(all, "guide")[0])
	if middle := width(t, all) / 2; math.Abs(x-middle) > 10 {
		t.Errorf("1 ms is at %v of a drawing whose middle is %v", x, middle)
	}
	if bars, over := len(withClass(all, "bar")), len(withClass(all, "bar over")); bars != 1 || over != 1 {
		t.Errorf("%d bars below the guideline and %d above, want one each", bars, over)
	}
}

func TestDistributionNamesEveryLayout(t *testing.T) {
	lanes := []chart.Lane{{"local", 430e-6, 475e-6}, {"NFS & <HA>", 3.1e-3, 3.7e-3}, {"fast", 490e-6, 590e-6}}
	all := marks(t, chart.Distribution([]float64{1e-3}, chart.ScaleFor(1e-3), 700e-6, lanes))
	for _, lane := range lanes {
		if !slices.ContainsFunc(all, func(m mark) bool { return m.name == "text" && m.text == lane.Label }) {
			t.Errorf("no label %q", lane.Label)
		}
		if !strings.Contains(all[0].attributes["aria-label"], lane.Label) {
			t.Errorf("%q is not in the words for %q", lane.Label, all[0].attributes["aria-label"])
		}
	}
	if got := len(withClass(all, "lane")); got != len(lanes) {
		t.Errorf("%d ranges, want %d", got, len(lanes))
	}
}

func TestScaleHoldsItsValues(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   chart.Scale
	}{
		{nil, chart.Scale{Low: 100e-6, High: 10e-3}},
		{[]float64{9e-6, 10e-3}, chart.Scale{Low: 1e-6, High: 10e-3}},
		{[]float64{1e-12, 1e-8, 4}, chart.Scale{Low: 1e-6, High: 10}},
		{[]float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)}, chart.Scale{Low: 100e-6, High: 10e-3}},
		{[]float64{1e5, 1e9}, chart.Scale{Low: 100e-6, High: 100}},
	} {
		got := chart.ScaleFor(test.values...)
		if math.Abs(math.Log10(got.Low/test.want.Low)) > 1e-9 || math.Abs(math.Log10(got.High/test.want.High)) > 1e-9 {
			t.Errorf("%v: %+v, want %+v", test.values, got, test.want)
		}
	}
}

// series is a mean every minute up to now, without the minutes that are left out.
func series(minutes int, leftOut func(ago int) bool) []chart.Point {
	var points []chart.Point
	for ago := minutes; ago >= 0; ago-- {
		if !leftOut(ago) {
			points = append(points, chart.Point{Time: now.Add(-time.Duration(ago) * time.Minute), Value: 450e-6})
		}
	}
	return points
}

func TestSparkBreaksWhereNothingRan(t *testing.T) {
	never := func(int) bool { return false }
	for _, test := range []struct {
		name     string
		points   []chart.Point
		segments int
		start    string
	}{
		{"nothing", nil, 0, "1 h ago"},
		{"one run", series(0, never), 1, "1 h ago"},
		{"half an hour", series(30, never), 1, "1 h ago"},
		{"five hours", series(300, never), 1, "6 h ago"},
		{"two days", series(2880, never), 1, "24 h ago"},
		{"two hours missing in a day", series(1440, func(ago int) bool { return ago > 600 && ago < 720 }), 2, "24 h ago"},
		{"a skipped run", series(55, func(ago int) bool { return ago == 20 }), 1, "1 h ago"},
		{"ten skipped runs", series(55, func(ago int) bool { return ago > 20 && ago < 30 }), 2, "1 h ago"},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := marks(t, chart.Spark(test.points, now, 3*time.Minute, 700e-6))
			if got := len(withClass(all, "mean")); got != test.segments {
				t.Errorf("%d lines, want %d", got, test.segments)
			}
			if !slices.ContainsFunc(all, func(m mark) bool { return m.text == test.start }) {
				t.Errorf("the axis does not begin at %q", test.start)
			}
			guide := withClass(all, "guide")
			if len(guide) != 1 {
				t.Errorf("%d guidelines, want 1", len(guide))
			}
		})
	}
}

func TestImportsShowFailuresAsCrosses(t *testing.T) {
	trials := []chart.Import{{now, 31, false}, {now, 0, true}, {now, 33, false}}
	bands := []chart.Band{{"local", 5, 6}, {"NFS HA", 29, 32}}
	all := marks(t, chart.Imports(trials, bands, 30.5))
	for class, want := range map[string]int{"bar": 2, "fail": 2, "range": 2, "guide": 1} {
		if got := len(withClass(all, class)); got != want {
			t.Errorf("%d marks of class %s, want %d", got, class, want)
		}
	}
}

func TestImportsShowTheLastOnes(t *testing.T) {
	all := marks(t, chart.Imports(slices.Repeat([]chart.Import{{now, 5, false}}, 200), nil, 0))
	if got := len(withClass(all, "bar")); got != chart.MaxImports {
		t.Errorf("%d bars, want %d", got, chart.MaxImports)
	}
}

func TestImportLabelsDoNotTouch(t *testing.T) {
	var bands []chart.Band
	for i := range 6 {
		bands = append(bands, chart.Band{Label: fmt.Sprint("layout ", i), Low: 5 + float64(i)/10, High: 6})
	}
	var ys []float64
	for _, m := range withClass(marks(t, chart.Imports(nil, bands, 5.5)), "note s") {
		y, err := strconv.ParseFloat(m.attributes["y"], 64)
		if err != nil {
			t.Fatal(err)
		}
		ys = append(ys, y)
	}
	slices.Sort(ys)
	for i := 1; i < len(ys); i++ {
		if ys[i]-ys[i-1] < 100 {
			t.Errorf("labels at %v touch", ys)
		}
	}
	if len(ys) == 0 {
		t.Error("no label at all")
	}
}

func TestRatesKeepTheMarksInSight(t *testing.T) {
	all := marks(t, chart.Rates([]chart.Rate{{"write", 31e6}, {"read", 5e9}, {"broken", math.NaN()}}, 20e6, 40e6))
	guides := withClass(all, "guide")
	minimum, _ := corner(t, guides[0])
	recommended, _ := corner(t, guides[1])
	if recommended-minimum < width(t, all)/20 {
		t.Errorf("the marks are at %v and %v: too near to tell apart", minimum, recommended)
	}
	for _, want := range []string{"31 MB/s", "5 GB/s", "–"} {
		if !slices.ContainsFunc(all, func(m mark) bool { return m.text == want }) {
			t.Errorf("no figure %q", want)
		}
	}
}

func TestExtremesAreDrawnInside(t *testing.T) {
	extremes := []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64, math.MaxFloat64}
	for _, v := range extremes {
		points := []chart.Point{{now.Add(-time.Minute), v}, {now.Add(time.Minute), 1e-3}, {now, v}}
		for _, drawing := range []template.HTML{
			chart.Spark(points, now, 0, 700e-6),
			chart.Spark(points, now, time.Minute, v),
			chart.Distribution(extremes, chart.ScaleFor(v), v, []chart.Lane{{"x", v, v}}),
			chart.Imports([]chart.Import{{now, v, false}}, []chart.Band{{"x", v, v}}, v),
			chart.Rates([]chart.Rate{{"x", v}}, 20e6, 40e6),
		} {
			for _, m := range marks(t, drawing) {
				if strings.Contains(m.attributes["d"], "-") || strings.Contains(fmt.Sprint(m), "NaN") {
					t.Fatalf("%v leaves the drawing: %v", v, m)
				}
			}
		}
	}
}
