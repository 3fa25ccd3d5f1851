//go:build linux

package main

import (
	"fmt"
	"io"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/columnstore/columnstore_exporter/pkg/config"
	"github.com/columnstore/columnstore_exporter/pkg/logsink"
)

const (
	// waitingLines is how many log lines wait in memory while what reads the log hangs: about 1 MiB.
	waitingLines = 4096
	// lastLines is how long the end of the daemon waits for them.
	lastLines = 300 * time.Millisecond
)

// newLogger returns a logger for w, which never waits for w, and the sink to close at the end. It drops nothing while w
// takes lines: zap's own production settings sample.
func newLogger(c config.Log, w io.Writer) (*zap.Logger, *logsink.Sink, error) {
	level, err := zapcore.ParseLevel(string(c.Level))
	if err != nil {
		return nil, nil, fmt.Errorf("COLUMNSTORE_EXPORTER_LOG_LEVEL: %w", err)
	}
	e := zap.NewProductionEncoderConfig()
	e.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	e.EncodeDuration = zapcore.StringDurationEncoder
	encoder := zapcore.NewJSONEncoder(e)
	if c.Format == config.FormatConsole {
		encoder = zapcore.NewConsoleEncoder(e)
	}
	sink := logsink.New(w, waitingLines, func(lost uint64) []byte { return lossLine(encoder.Clone(), lost) })
	return zap.New(zapcore.NewCore(encoder, zapcore.AddSync(sink), level)), sink, nil
}

// lossLine says that log lines were lost.
func lossLine(encoder zapcore.Encoder, lost uint64) []byte {
	entry := zapcore.Entry{Level: zap.WarnLevel, Time: time.Now(), Message: "log lines lost"}
	line, err := encoder.EncodeEntry(entry, []zap.Field{zap.Uint64("lines", lost)})
	if err != nil {
		return nil
	}
	return line.Bytes()
}
