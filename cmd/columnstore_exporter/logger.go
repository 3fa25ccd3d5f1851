//go:build linux

package main

import (
	"fmt"
	"io"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/columnstore/columnstore_exporter/pkg/config"
)

// newLogger returns a logger that drops no line: zap's own production settings sample.
func newLogger(c config.Log, w io.Writer) (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(string(c.Level))
	if err != nil {
		return nil, fmt.Errorf("COLUMNSTORE_EXPORTER_LOG_LEVEL: %w", err)
	}
	e := zap.NewProductionEncoderConfig()
	e.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	e.EncodeDuration = zapcore.StringDurationEncoder
	encoder := zapcore.NewJSONEncoder(e)
	if c.Format == config.FormatConsole {
		encoder = zapcore.NewConsoleEncoder(e)
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(w)), level)), nil
}
