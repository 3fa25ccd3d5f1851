//go:build linux

package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cpimport"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/mariadb"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/outcome"
	"github.com/columnstore/columnstore_exporter/pkg/ingest/transcript"
)

// importRows runs one import with the trial's method.
func (t *trial) importRows(ctx context.Context) {
	t.note(func(m *memory) { m.LastTrial = time.Now() })
	if t.result.Method == MethodCpimport {
		t.runCpimport(ctx)
		return
	}
	t.runLoadData(ctx)
}

// runCpimport needs no session meanwhile.
func (t *trial) runCpimport(ctx context.Context) {
	t.hangUp()
	command := t.o.cpimport()
	if err := os.MkdirAll(command.Directory, 0o700); err != nil {
		t.fail(outcome.CSV, fmt.Errorf("make the working directory of cpimport: %w", err))
		return
	}
	parser := transcript.NewParser()
	process, err := cpimport.Start(command, parser.Stdout(), parser.Stderr())
	if err != nil {
		t.fail(outcome.Exec, err)
		return
	}
	t.noteImport(process)
	t.begin(process.Started)
	asked, ended := t.await(ctx, process.Done(), process.End)
	if !ended {
		t.abandon(process.Done(), func() { t.settle(process, parser.Transcript()) })
		return
	}
	t.result.Seconds = process.Elapsed().Seconds()
	told := parser.Transcript()
	t.settle(process, told)
	t.judge(told, told.Judge(process.Status(), t.o.Rows, asked))
}

// noteImport lets a restarted exporter find the import.
func (t *trial) noteImport(process *cpimport.Process) {
	identity, err := cpimport.Identify(process.PID())
	if err != nil { // it may have ended already
		t.log.Debug("a restarted exporter would not find this import", zap.Error(err))
		return
	}
	t.note(func(m *memory) { m.Import = &identity })
}

// settle forgets an import that has ended, and notes its files.
func (r *Runner) settle(process *cpimport.Process, told transcript.Transcript) {
	r.note(func(m *memory) {
		m.Import, m.Prune = nil, filesOf(told)
	})
	r.log.Debug("cpimport has ended", zap.Int("pid", process.PID()), zap.Duration("elapsed", process.Elapsed()))
}

// judge takes over the outcome of an import that has ended.
func (t *trial) judge(told transcript.Transcript, verdict transcript.Verdict) {
	t.result.Warnings = told.Warnings
	if told.WarningCount > 0 {
		t.log.Warn("cpimport changed values", zap.Int("warnings", told.WarningCount), zap.Strings("first", told.Warnings))
	}
	if len(told.Steps) > 0 {
		t.result.Steps = told.Steps
	}
	if verdict.Failure == "" {
		return
	}
	if verdict.Failure == outcome.OtherFailure {
		t.log.Error("cpimport failed for a reason that is not known", zap.String("output", told.Text))
	}
	t.fail(verdict.Failure, errors.New(verdict.Text))
}

// runLoadData gives its session to the load.
func (t *trial) runLoadData(ctx context.Context) {
	session := t.session
	if session == nil {
		var err error
		if session, err = t.server.Open(ctx); err != nil {
			t.fail(failureOf(err), err)
			return
		}
	}
	how := mariadb.Kill
	if t.onColumnStore() {
		how = mariadb.Cut
	}
	load, err := session.StartLoad(ctx, t.table, t.o.cpimport().File, how, t.o.Timeout+t.o.Grace)
	if err != nil {
		t.session = session
		t.fail(failureOf(err), err)
		return
	}
	t.session = nil
	t.begin(load.Started)
	asked, ended := t.await(ctx, load.Done(), func() error { return load.End(context.WithoutCancel(ctx)) })
	if !ended {
		load.Abandon()
		t.abandon(load.Done(), func() {})
		return
	}
	t.result.Seconds = load.Elapsed().Seconds()
	rows, err := load.Result()
	t.judgeLoad(rows, err, asked)
}

func (t *trial) judgeLoad(rows int64, err error, asked bool) {
	switch {
	case err != nil && asked && (mariadb.IsInterrupted(err) || mariadb.Number(err) == 0):
		t.fail(outcome.Timeout, fmt.Errorf("asked to end by the exporter: %w", err))
	case err != nil:
		t.fail(failureOf(err), err)
	case rows != t.o.Rows && asked:
		t.fail(outcome.Timeout, fmt.Errorf("asked to end by the exporter after %d rows", rows))
	case rows != t.o.Rows:
		t.fail(outcome.RowCount, fmt.Errorf("%d rows inserted, want %d", rows, t.o.Rows))
	}
}
