package transcript

import (
	"regexp"
	"strings"
)

// Levels of the lines of cpimport's console.
const (
	levelInfo  = "INFO"
	levelInfo2 = "INFO2"
	levelWarn  = "WARN"
	levelError = "ERR"
	levelCrit  = "CRIT"
)

// code is the number of the engine behind the text of an error.
var code = regexp.MustCompile(` \[\d+\]$`)

// cut parts a line of the console into its level and its text: "2026-11-30 14:28:50 (19869) ERR  : Unable … [1203]". A
// line without such a beginning has no level.
func cut(line string) (level, text string) {
	const stamp = "2006-01-02 15:04:05"
	if len(line) < len(stamp)+2 || line[4] != '-' || line[len(stamp):len(stamp)+2] != " (" {
		return "", line
	}
	_, rest, _ := strings.Cut(line, ") ")
	level, text, _ = strings.Cut(rest, ":")
	text = strings.TrimPrefix(text, " ")
	switch level = strings.TrimSpace(level); level {
	case levelInfo, levelInfo2, levelWarn:
		return level, text
	case levelError, levelCrit:
		return level, code.ReplaceAllString(text, "")
	default:
		return "", line
	}
}
