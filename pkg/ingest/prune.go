//go:build linux

package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cpimport"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/transcript"
)

// prune removes what the trial before has left for a person to read: the engine's log and job files of our job id, and
// the rejected rows. It never grows beyond one trial's.
func (t *trial) prune(ctx context.Context) {
	if files := t.remembered().Prune; len(files) > 0 {
		if err := t.o.Remove(ctx, files); err != nil {
			t.log.Warn("the log of the last import trial stays", zap.Error(err))
		}
		t.note(func(m *memory) { m.Prune = nil })
	}
	if err := emptyDirectory(t.o.cpimport().Directory); err != nil {
		t.log.Warn("the rejected rows of the last import trial stay", zap.Error(err))
	}
}

// filesOf returns the engine's files of an import, as far as they are named and ours.
func filesOf(told transcript.Transcript) (files []string) {
	for _, path := range []string{told.LogFile, strings.TrimSuffix(told.LogFile, ".log") + ".err", told.JobFile} {
		if cpimport.OwnFile(path) {
			files = append(files, path)
		}
	}
	return files
}

// removeHere is Options.Remove where nothing else is given.
func removeHere(_ context.Context, paths []string) error { return removeFiles(paths) }

// removeFiles removes files, of which some may be gone.
func removeFiles(paths []string) error {
	var wrong []error
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			wrong = append(wrong, fmt.Errorf("prune: %w", err))
		}
	}
	return errors.Join(wrong...)
}

// emptyDirectory removes the files of a directory of our own.
func emptyDirectory(path string) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var paths []string
	for _, entry := range entries {
		paths = append(paths, filepath.Join(path, entry.Name()))
	}
	return errors.Join(err, removeFiles(paths))
}
