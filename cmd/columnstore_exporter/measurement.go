//go:build linux

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/columnstore/columnstore_exporter/pkg/config"
	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/reason"
	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/survey"
	"github.com/columnstore/columnstore_exporter/pkg/tasks"
	"github.com/columnstore/columnstore_exporter/pkg/throughput"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
	"github.com/columnstore/columnstore_exporter/pkg/trials"
	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

// measurement is one check under way: what it finds goes into the picture.
type measurement struct {
	app
	settings    config.Settings
	pool        *worker.Pool
	client      *tasks.Client
	judge       *status.Judge
	picture     status.Snapshot
	directories []survey.Directory
}

// run measures latencies, and then what the flags ask for besides: imports before the throughput tests, which would
// disturb them.
func (m *measurement) run(ctx context.Context, flags checkFlags) error {
	m.latencies(ctx)
	if flags.imports > 0 {
		if err := m.importRows(ctx, flags.imports); err != nil {
			return err
		}
	}
	if flags.throughput {
		return m.streams(ctx)
	}
	return nil
}

// latencies discovers, looks and measures.
func (m *measurement) latencies(ctx context.Context) {
	found, err := discover(ctx, m.client, m.settings.Discovery)
	if err != nil {
		m.picture.Discovery = err.Error()
	}
	m.picture.Module, m.picture.Ignored, m.picture.Notes = found.Module, found.Ignored, found.Notes
	m.directories = survey.Inspect(ctx, m.client, found.Targets)
	spec := latencySpec(m.settings.Latency, m.picture.Host)
	progress := m.requestProgress(m.directories, spec)
	measured := survey.Measure(ctx, m.client, m.directories, spec, progress.tick)
	progress.end()
	for _, one := range measured {
		m.picture.Targets = append(m.picture.Targets, one.Picture(m.clock()))
	}
}

// importRows runs n import trials, one after the other. One that is not started counts as failed: it was asked for.
func (m *measurement) importRows(ctx context.Context, n int) error {
	options := ingestOptions(m.settings, zap.NewNop())
	options.DataFree, options.Remove = m.free, m.client.Remove
	runner, err := ingest.New(options)
	if err != nil {
		return err
	}
	m.picture.Ingest = &status.Ingest{
		IntervalSeconds: m.settings.Ingest.Interval.Seconds(),
		Plan:            &status.Plan{Trials: n, Database: options.Database, Table: options.Table, Rows: options.Rows, File: options.CSV()},
		Skipped:         map[string]uint64{}, Failed: map[string]uint64{}, SkipDetails: map[string]string{},
	}
	means := m.judge.Assess(m.picture).Forecast.Means
	progress := m.stepProgress(n, "importing")
	defer progress.end()
	for range n {
		if ctx.Err() != nil {
			return nil
		}
		trial, skip := runner.Trial(ctx)
		progress.tick()
		if skip != nil {
			m.picture.Ingest.Skipped[string(skip.Reason)]++
			m.picture.Ingest.SkipDetails[string(skip.Reason)] = skip.Detail
			continue
		}
		if trial.Failure != "" {
			m.picture.Ingest.Failed[string(trial.Failure)]++
		}
		m.picture.Ingest.Trials = append(m.picture.Ingest.Trials, trials.WithMeans(*trial, &means))
	}
	return nil
}

// free returns the free bytes of the fullest file system that was measured.
func (m *measurement) free(ctx context.Context) (int64, error) {
	var places []tasks.Place
	for _, d := range m.directories {
		if d.Facts.State == topology.StatePresent {
			places = append(places, tasks.Place{Target: d.Target, Mount: d.Facts.Mount})
		}
	}
	return m.client.Free(ctx, places)
}

// streams runs the throughput tests in each directory that is there, one after the other.
func (m *measurement) streams(ctx context.Context) error {
	spec := throughputSpec(m.settings.Throughput, m.picture.Host)
	if err := spec.Validate(); err != nil {
		return fmt.Errorf("throughput tests: %w", err)
	}
	for i, d := range m.directories {
		if d.Facts.State == topology.StatePresent && ctx.Err() == nil {
			m.stream(ctx, spec, d, &m.picture.Targets[i])
		}
	}
	return nil
}

// stream runs the throughput tests in one directory, with a live line of progress.
func (m *measurement) stream(ctx context.Context, spec throughput.Spec, d survey.Directory, into *status.Target) {
	planned := 2 * spec.Duration * time.Duration(len(spec.Tests))
	bounded, cancel := context.WithTimeoutCause(ctx, planned+survey.Patience, errors.New("the storage does not answer"))
	defer cancel()
	progress := m.throughputProgress(spec)
	outcome, err := m.client.Throughput(bounded, d.Target, d.Facts, spec, progress.test)
	progress.end()
	if err == nil && outcome.Error != "" {
		err = errors.New(outcome.Error)
	}
	if err != nil && bounded.Err() != nil {
		err = context.Cause(bounded)
	}
	if err != nil && ctx.Err() == nil {
		outcome.Tests = append(outcome.Tests, throughput.Result{Failure: cmp.Or(outcome.Failure, reason.Other), Error: err.Error()})
	}
	into.Throughput = &status.Throughput{Ended: m.clock(), Results: append([]throughput.Result{}, outcome.Tests...)} // [] in JSON
}
