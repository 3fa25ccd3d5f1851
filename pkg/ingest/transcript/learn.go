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
func (t *Transcript) learn(text string) {
	switch {
	case starts(text, "For table "):
		t.learnRows(text)
	case starts(text, "Job file loaded,"):
		t.learnStep(StepJobLoad, text)
	case starts(text, "preProcess completed,"):
		t.learnStep(StepPreprocess, text)
	case starts(text, "Bulk load completed,"):
		t.learnStep(StepTotal, text)
	case starts(text, "Log file for this job"):
		t.LogFile = behindColon(text)
	case starts(text, "Job description file"):
		t.JobFile = behindColon(text)
	case starts(text, "Received "):
		t.Ended = t.Ended || strings.Contains(text, "to terminate")
	}
}

func (t *Transcript) learnRows(text string) {
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
	t.Processed, t.Inserted, t.Counted = processed, inserted, true
}

func (t *Transcript) learnStep(step, text string) {
	m := stepLine.FindStringSubmatch(text)
	if m == nil {
		return
	}
	if seconds, err := strconv.ParseFloat(m[1], 64); err == nil && !math.IsInf(seconds, 0) {
		t.Steps[step] = seconds
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
