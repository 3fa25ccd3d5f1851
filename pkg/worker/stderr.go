//go:build linux

package worker

import (
	"bufio"
	"io"
	"time"

	"go.uber.org/zap"
)

// A child writes to standard error what its handlers did not foresee. A flood of it must not fill the daemon's log.
const (
	maxLine    = 1 << 10
	maxLines   = 200
	linePeriod = 10 * time.Second
)

// forward logs what a child writes to standard error, line by line until it ends: at most 200 lines in 10 s. A line of
// more than 1 KiB comes in pieces.
func forward(in io.Reader, log *zap.Logger) {
	r := bufio.NewReaderSize(in, maxLine)
	var begun time.Time
	lines := 0
	for {
		line, _, err := r.ReadLine()
		if err != nil || time.Since(begun) > linePeriod {
			if lines > maxLines {
				log.Warn("worker output dropped", zap.Int("lines", lines-maxLines))
			}
			begun, lines = time.Now(), 0
		}
		if err != nil {
			return
		}
		lines++
		if lines <= maxLines {
			log.Warn("worker output", zap.String("line", string(line)))
		}
	}
}
