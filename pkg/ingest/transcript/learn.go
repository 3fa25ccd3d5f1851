package transcript

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Lines that tell figures and files. Numbers are printed as %g does.
var (
	rowsLine = regexp.MustCompile(`(\d+) rows processed and (\d+) rows inserted`)
	stepLine = regexp.MustCompile(`run time(?: for this step)? : ([0-9.]+(?:e[+-]?\d+)?) seconds`)
)

// learn takes in the lines that tell figures and files.
func (p *Parser) learn(text string) {
	switch {
	case starts(text, "For table "):
		p.learnRows(text)
	case starts(text, "Job file loaded,"):
		p.learnStep(StepJobLoad, text)
	case starts(text, "preProcess completed,"):
		p.learnStep(StepPreprocess, text)
	case starts(text, "Bulk load completed,"):
		p.learnStep(StepTotal, text)
	case starts(text, "Log file for this job"):
		p.told.LogFile = behindColon(text)
	case starts(text, "Job description file"):
		p.told.JobFile = behindColon(text)
	case starts(text, "Received "):
		p.told.Ended = p.told.Ended || strings.Contains(text, "to terminate")
	}
}

func (p *Parser) learnRows(text string) {
	m := rowsLine.FindStringSubmatch(text)
	if m == nil {
		return
	}
	processed, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return
	}
	inserted, err := strconv.ParseInt(m[2], 10, 64)
	if err != nil {
		return
	}
	p.told.Processed, p.told.Inserted, p.told.Counted = processed, inserted, true
}

func (p *Parser) learnStep(step, text string) {
	m := stepLine.FindStringSubmatch(text)
	if m == nil {
		return
	}
	if seconds, err := strconv.ParseFloat(m[1], 64); err == nil && !math.IsInf(seconds, 0) {
		p.told.Steps[step] = seconds
	}
}

// starts tells whether the text starts with the words, in any case.
func starts(text, words string) bool {
	return len(text) >= len(words) && strings.EqualFold(text[:len(words)], words)
}

func behindColon(text string) string {
	_, path, _ := strings.Cut(text, ":")
	return strings.TrimSpace(path)
}
