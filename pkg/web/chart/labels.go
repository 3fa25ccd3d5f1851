//go:build linux

package chart

// labelHeight is the distance that keeps two lines of text from touching, in drawing units.
const labelHeight = 11 * unit

// labels keeps the labels at one edge of a chart from touching.
type labels struct{ taken []int }

func (l *labels) take(y int) { l.taken = append(l.taken, y) }

// place takes y, or the nearest free place up to a line above or below it; false when there is none.
func (l *labels) place(y int) (int, bool) {
	for _, shift := range []int{0, labelHeight / 2, -labelHeight / 2, labelHeight, -labelHeight} {
		if l.free(y + shift) {
			l.take(y + shift)
			return y + shift, true
		}
	}
	return 0, false
}

func (l *labels) free(y int) bool {
	for _, other := range l.taken {
		if d := y - other; d < labelHeight && d > -labelHeight {
			return false
		}
	}
	return true
}
