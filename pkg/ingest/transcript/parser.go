package transcript

import (
	"io"
	"sync"
)

// mostWarnings is how many warnings are kept.
const mostWarnings = 50

// Parser reads the streams of one import. Its memory is bounded whatever is printed.
type Parser struct {
	mu     sync.Mutex
	told   Transcript
	causes []cause
	rank   int // of the cause that was told, or behind the last
	errors outranked
	text   ends
	open   []*stream
}

// outranked keeps the last lines of three kinds: of any, of stderr, of an error's level.
type outranked struct{ any, stderr, level string }

func (o outranked) last() string {
	switch {
	case o.level != "":
		return o.level
	case o.stderr != "":
		return o.stderr
	default:
		return o.any
	}
}

// NewParser returns a parser that has read nothing.
func NewParser() *Parser {
	all := causes()
	return &Parser{told: Transcript{Steps: map[string]float64{}}, causes: all, rank: len(all)}
}

// Stdout returns where the import's stdout goes, Stderr the same for stderr. Writing to them never fails.
func (p *Parser) Stdout() io.Writer { return p.stream(false) }

// Stderr is like Stdout.
func (p *Parser) Stderr() io.Writer { return p.stream(true) }

// Transcript returns what was told so far, a last line without an end included. Nothing may be written from then on.
func (p *Parser) Transcript() Transcript {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.open {
		s.lines.flush()
	}
	p.told.Steps = withLoad(p.told.Steps)
	p.told.LastError = p.errors.last()
	p.told.Text = p.text.String()
	if p.rank < len(p.causes) {
		p.told.Cause = p.causes[p.rank].failure
	}
	return p.told
}

type stream struct {
	parser *Parser
	lines  lines
}

func (p *Parser) stream(stderr bool) io.Writer {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &stream{parser: p, lines: lines{each: func(line string) { p.line(line, stderr) }}}
	p.open = append(p.open, s)
	return s
}

func (s *stream) Write(b []byte) (int, error) {
	s.parser.mu.Lock()
	defer s.parser.mu.Unlock()
	s.lines.write(b)
	return len(b), nil
}

// line takes in one line of either stream.
func (p *Parser) line(line string, stderr bool) {
	p.text.add(line)
	level, text := cut(line)
	p.errors.any = text
	if stderr {
		p.errors.stderr = text
	}
	p.learn(text)
	switch level {
	case levelInfo, levelInfo2:
		return
	case levelWarn:
		p.warn(text)
		return
	case levelError, levelCrit:
		p.errors.level = text
	}
	if r := rankOf(p.causes, text); r < p.rank {
		p.rank, p.told.CauseText = r, text
	}
}

func (p *Parser) warn(text string) {
	p.told.WarningCount++
	if len(p.told.Warnings) < mostWarnings {
		p.told.Warnings = append(p.told.Warnings, text)
	}
}
