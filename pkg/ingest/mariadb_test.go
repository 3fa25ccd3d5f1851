//go:build linux && mariadb

package ingest_test

import (
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/internal/mariadbtest"
)

// One server serves all of these; each test has a database of its own.
func TestMariaDB(t *testing.T) {
	server := mariadbtest.Start(t)
	for name, test := range map[string]func(*testing.T, *bed){
		"seed and growth":         testSeedAndGrowth,
		"recreation at the limit": testRecreation,
		"wrong shape":             testWrongShape,
		"foreign table":           testForeignTable,
		"view":                    testView,
		"names":                   testNames,
		"each grant is needed":    testEachGrantIsNeeded,

		"wrong password":    testWrongPassword,
		"changed secret":    testChangedSecret,
		"no data source":    testNoDataSource,
		"killed in between": testKilledServer,
		"hung server":       testHungServer,
		"locked before":     testLockedBefore,
		"locked in between": testLockedInBetween,
		"read-only":         testReadOnly,
		"small state":       testSmallStateDirectory,
		"full table":        testFullTable,
		"no local infile":   testNoLocalInfile,
		"hygiene":           testHygiene,
		"health":            testHealth,

		"timeout":           testTimeoutOfLoad,
		"somebody's kill":   testSomebodyKillsLoad,
		"end of the caller": testCallerEndsDuringLoad,

		"cpimport":                 testCpimport,
		"cpimport's false success": testFalseSuccess,
		"cpimport is missing":      testMissingCpimport,
		"cpimport is killed":       testKilledCpimport,
		"cpimport is stuck":        testStuckCpimport,
		"cpimport of before":       testCpimportOfEarlierProcess,
		"first process":            testFirstProcessWaits,
		"unknown words":            testUnknownWordsAreLogged,
		"files are pruned":         testPrune,
		"memory":                   testMemory,
		"one at a time":            testOneAtATime,
		"leaks":                    testLeaks,
	} {
		t.Run(name, func(t *testing.T) { test(t, newBed(t, server, "trials of "+name)) })
	}
}
