package transcript

import "fmt"

// mostText is how much is kept of the first and of the last lines, in bytes each.
const mostText = 64 << 10

// ends keeps the first and the last lines of a text.
type ends struct {
	first, last []byte
	dropped     int
}

func (e *ends) add(line string) {
	if e.dropped == 0 && len(e.last) == 0 && len(e.first)+len(line) < mostText {
		e.first = append(append(e.first, line...), '\n')
		return
	}
	e.last = append(append(e.last, line...), '\n')
	if extra := len(e.last) - mostText; extra > mostText { // rarely, as it moves what is kept
		e.dropped += extra
		e.last = append(e.last[:0], e.last[extra:]...)
	}
}

func (e *ends) String() string {
	if e.dropped == 0 {
		return string(e.first) + string(e.last)
	}
	return fmt.Sprintf("%s… %d bytes left out …\n%s", e.first, e.dropped, e.last)
}
