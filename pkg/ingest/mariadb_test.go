//go:build linux && mariadb

package ingest_test

import (
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/internal/mariadbtest"
)

// One server serves all tests that do not break it: each has a database of its own.
func TestMariaDB(t *testing.T) {
	server := mariadbtest.Start(t)
	for name, test := range map[string]func(*testing.T, *bed){
		"seed": testSeedAndGrowth,
	} {
		t.Run(name, func(t *testing.T) { test(t, newBed(t, server, "trials_"+name)) })
	}
}

func testSeedAndGrowth(t *testing.T, b *bed) {
	b.o.Rows = 10_000
	var phases []string
	b.o.OnPhase = func(phase string) { phases = append(phases, phase) }
	r := b.runner(t)
	began := time.Now()
	trial := b.succeed(t, r)
	t.Logf("%+v %v %v", *trial, time.Since(began), phases)
	trial = b.succeed(t, r)
	t.Logf("%+v %v %v", *trial, time.Since(began), phases)
	_ = ingest.MethodAuto
}
