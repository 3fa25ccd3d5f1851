//go:build linux

package chart

import (
	"unicode/utf8"

	"github.com/go-analyze/charts/chartdraw"
)

// pen draws marks at data coordinates. The class of a mark says what it is.
type pen struct {
	renderer chartdraw.Renderer
	box      chartdraw.Box
	xs, ys   chartdraw.Range
}

// point is a place on the canvas in drawing units.
type point struct{ x, y int }

// at places a pair of data coordinates, held inside the plot.
func (p pen) at(x, y float64) point { return point{p.x(x), p.y(y)} }

func (p pen) x(v float64) int {
	return p.box.Left + min(max(p.xs.Translate(v), 0), p.xs.GetDomain())
}

func (p pen) y(v float64) int {
	return p.box.Bottom - min(max(p.ys.Translate(v), 0), p.ys.GetDomain())
}

// moved is the point, some design pixels to the right and down.
func (a point) moved(right, down float64) point {
	return point{a.x + int(right*unit), a.y + int(down*unit)}
}

// rightHalf tells on which side of a mark there is less room for its label.
func (p pen) rightHalf(at point) bool { return at.x > (p.box.Left+p.box.Right)/2 }

// line draws an open path.
func (p pen) line(class string, points ...point) {
	if len(points) == 0 {
		return
	}
	p.path(class, points)
	p.renderer.Stroke()
}

// area draws a closed path.
func (p pen) area(class string, points ...point) {
	if len(points) == 0 {
		return
	}
	p.path(class, points)
	p.renderer.Close()
	p.renderer.Fill()
}

// rect draws the rectangle between two corners.
func (p pen) rect(class string, a, b point) {
	p.area(class, a, point{b.x, a.y}, b, point{a.x, b.y})
}

// clear hides the lines between two corners, so that a text there is legible.
func (p pen) clear(a, b point) { p.rect("clear", a, b) }

// width is roughly how wide a text is in design pixels.
func width(text string) float64 { return 5.6 * float64(utf8.RuneCountInString(text)) }

// dot draws a circle with a radius in design pixels.
func (p pen) dot(class string, at point, radius float64) {
	p.renderer.SetClassName(class)
	p.renderer.Circle(radius*unit, at.x, at.y)
	// The library paints pending circles only together with a path.
	p.renderer.MoveTo(at.x, at.y)
	p.renderer.Fill()
}

// text writes s; the class anchors it at its start (s), middle (m) or end (e).
func (p pen) text(class string, at point, s string) {
	p.renderer.SetClassName(class)
	p.renderer.Text(s, at.x, at.y)
}

func (p pen) path(class string, points []point) {
	p.renderer.SetClassName(class)
	p.renderer.MoveTo(points[0].x, points[0].y)
	for _, at := range points[1:] {
		p.renderer.LineTo(at.x, at.y)
	}
}
