package transcript

import (
	"bytes"
	"regexp"
)

// longestLine is how much is kept of one line, in bytes; the rest of it is dropped.
const longestLine = 4 << 10

// escapes are terminal control sequences: colours and bold letters.
var escapes = regexp.MustCompile(`\x1b\[[0-9;?]*[\x20-\x2f]*[\x40-\x7e]`)

// lines cuts a stream into lines without their ends and without control sequences.
type lines struct {
	partial []byte
	each    func(line string)
}

// write takes the next bytes of the stream.
func (l *lines) write(p []byte) {
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			l.keep(p)
			return
		}
		l.keep(p[:end])
		l.flush()
		p = p[end+1:]
	}
}

// keep adds to the line that has not ended.
func (l *lines) keep(p []byte) {
	l.partial = append(l.partial, p[:min(len(p), longestLine-len(l.partial))]...)
}

// flush ends the line. An empty one is passed over.
func (l *lines) flush() {
	line := l.partial
	if bytes.IndexByte(line, '\x1b') >= 0 {
		line = escapes.ReplaceAll(line, nil)
	}
	line = bytes.TrimRight(line, " \t\r")
	if len(line) > 0 {
		l.each(string(line))
	}
	l.partial = l.partial[:0]
}
