package config_test

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/config"
)

// environ puts the prefix before each NAME=value.
func environ(entries ...string) []string {
	full := make([]string, len(entries))
	for i, entry := range entries {
		full[i] = config.Prefix + "_" + entry
	}
	return full
}

// load returns the settings of an environment that has nothing wrong.
func load(t *testing.T, entries ...string) config.Settings {
	t.Helper()
	validated, warnings, err := config.Load(environ(entries...))
	if err != nil || len(warnings) > 0 {
		t.Fatalf("Load(%q): error %v, warnings %v", entries, err, warnings)
	}
	return validated.Settings()
}

// refuse returns the lines of the error of an environment that has something wrong.
func refuse(t *testing.T, entries ...string) []string {
	t.Helper()
	_, _, err := config.Load(environ(entries...))
	if err == nil {
		t.Fatalf("Load(%q) found nothing wrong", entries)
	}
	return strings.Split(err.Error(), "\n")
}

func TestDefaults(t *testing.T) {
	want := config.Settings{
		Web:       config.Web{ListenAddresses: []string{":10570"}},
		Log:       config.Log{Level: config.LevelInfo, Format: config.FormatJSON},
		StateDir:  "/var/lib/columnstore_exporter",
		Discovery: config.Discovery{ColumnstoreXML: "/etc/columnstore/Columnstore.xml", ModuleFile: "/var/lib/columnstore/local/module", Interval: 30 * time.Second},
		Latency: config.Latency{
			Interval: time.Minute, Count: 30, RequestInterval: time.Second, RequestSize: 4096, WorkingSet: 1 << 20,
			IO: config.IODirect, Target: 700 * time.Microsecond, Commits: 5,
		},
		Ingest: config.Ingest{
			Interval: 6 * time.Hour, Method: config.MethodAuto, Database: "columnstore_exporter", Table: "cptest", Engine: config.EngineAuto,
			Rows: 10_000, MaxTableRows: 150_000, Timeout: 10 * time.Minute, CpimportPath: "/usr/bin/cpimport",
		},
		Throughput: config.Throughput{
			Duration:  10 * time.Second,
			Tests:     []config.Test{config.TestWrite, config.TestOverwrite, config.TestRewrite, config.TestRead, config.TestSkipRead},
			BlockSize: 1 << 20, MaxBytes: 1 << 30, MinFree: config.FreeSpace{Percent: 10}, CRC: true,
		},
	}
	if diff := cmp.Diff(want, load(t)); diff != "" {
		t.Errorf("settings of an empty environment (-want +got):\n%s", diff)
	}
}

func TestEveryVariableIsRead(t *testing.T) {
	want := config.Settings{
		Web:    config.Web{ListenAddresses: []string{"127.0.0.1:1", "[::1]:2"}, SystemdSocket: false, ConfigFile: "/web.yml"},
		Log:    config.Log{Level: config.LevelDebug, Format: config.FormatConsole},
		Strict: true, PProf: true, StateDir: "/state",
		Discovery: config.Discovery{
			ColumnstoreXML: "/c.xml", ModuleFile: "/module", Interval: 2 * time.Second,
			DBRoots: []config.NamedPath{{Name: "1", Path: "/a"}, {Name: "7", Path: "/b"}},
			Extra:   []config.NamedPath{{Name: "dbrm", Path: "/c/dbrm"}, {Name: "new", Path: "/d"}},
		},
		BaselinesFile: "/baselines.yml",
		Latency: config.Latency{
			Interval: 2 * time.Minute, Count: 10, RequestInterval: 2 * time.Millisecond, RequestSize: 512, WorkingSet: 1024,
			IO: config.IOBuffered, Target: time.Millisecond, Commits: 0,
		},
		Ingest: config.Ingest{
			DSN: config.NewSecret("user:secret@tcp(db:3306)/"), Interval: 0, Method: config.MethodLoadData,
			Database: "d", Table: "t", Engine: config.EngineAria, Rows: 5, MaxTableRows: 6, Timeout: time.Second, CpimportPath: "/cpimport",
		},
		Throughput: config.Throughput{
			Interval: time.Hour, Duration: time.Second, Tests: []config.Test{config.TestRead, config.TestWrite}, Threads: 3,
			BlockSize: 4096, MaxBytes: 1 << 20, MinFree: config.FreeSpace{Bytes: 20 << 30}, CRC: false,
		},
	}
	got := load(t,
		"LISTEN_ADDRESS=127.0.0.1:1,[::1]:2", "WEB_SYSTEMD_SOCKET=false", "WEB_CONFIG_FILE=/web.yml", "LOG_LEVEL=debug", "LOG_FORMAT=console",
		"STRICT=true", "PPROF=true", "STATE_DIR=/state", "COLUMNSTORE_XML=/c.xml", "MODULE_FILE=/module", "DBROOTS=1=/a,7=/b",
		"EXTRA_DIRECTORIES=/c/dbrm,new=/d", "DISCOVERY_INTERVAL=2s", "BASELINES_FILE=/baselines.yml", "LATENCY_INTERVAL=2m", "LATENCY_COUNT=10",
		"LATENCY_REQUEST_INTERVAL=2ms", "LATENCY_REQUEST_SIZE=512", "LATENCY_WORKING_SET=1KiB", "LATENCY_IO=buffered", "LATENCY_TARGET=1ms",
		"COMMIT_COUNT=0", "INGEST_DSN=user:secret@tcp(db:3306)/", "INGEST_DSN_FILE=", "INGEST_INTERVAL=0", "INGEST_METHOD=load_data",
		"INGEST_DATABASE=d", "INGEST_TABLE=t", "INGEST_ENGINE=Aria", "INGEST_ROWS=5", "INGEST_MAX_TABLE_ROWS=6", "INGEST_TIMEOUT=1s",
		"CPIMPORT_PATH=/cpimport", "THROUGHPUT_INTERVAL=1h", "THROUGHPUT_DURATION=1s", "THROUGHPUT_TESTS=read,write", "THROUGHPUT_THREADS=3",
		"THROUGHPUT_BLOCK_SIZE=4KiB", "THROUGHPUT_MAX_BYTES=1MiB", "THROUGHPUT_MIN_FREE=20GiB", "THROUGHPUT_CRC=false")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestAllErrorsAtOnce(t *testing.T) {
	got := refuse(t, "LATENCY_INTERVAL=5x", "STRICT=yes", "LATENCY_COUNT=1", "LATENCY_WORKING_SET=4k", "LOG_LEVEL=trace", "DBROOTS=1=a,2=/b,3=c",
		"INGEST_ROWS=200000", "LATENCY_REQUEST_SIZE=1000")
	want := []string{
		`COLUMNSTORE_EXPORTER_LOG_LEVEL: "trace" is none of debug, info, warn, error`,
		`COLUMNSTORE_EXPORTER_STRICT: "yes" is neither true nor false`,
		`COLUMNSTORE_EXPORTER_DBROOTS: "a" is not an absolute path; begin it with a slash`,
		`COLUMNSTORE_EXPORTER_DBROOTS: "c" is not an absolute path; begin it with a slash`,
		`COLUMNSTORE_EXPORTER_LATENCY_INTERVAL: "5x" is not a duration; write it like 1m or 30s`,
		`COLUMNSTORE_EXPORTER_LATENCY_COUNT: 1 is out of range; choose from 2 to 1000000`,
		`COLUMNSTORE_EXPORTER_LATENCY_WORKING_SET: "4k" is not a size; write it like 4096, 4KiB or 1MiB`,
		`COLUMNSTORE_EXPORTER_LATENCY_REQUEST_SIZE: 1000 bytes are not a multiple of 512, as O_DIRECT needs it`,
		`COLUMNSTORE_EXPORTER_INGEST_MAX_TABLE_ROWS: 150000 is less than COLUMNSTORE_EXPORTER_INGEST_ROWS=200000; the table has to hold one trial`,
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

func TestLoadLeavesTheProcessAlone(t *testing.T) {
	t.Setenv(config.Prefix+"_LATENCY_COUNT", "7")
	before := os.Environ()
	if got := load(t, "LATENCY_TARGET=1ms").Latency.Count; got != 30 {
		t.Errorf("Load read the count %d from the process, not from its argument", got)
	}
	after := os.Environ()
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("Load changed the process's environment (-before +after):\n%s", diff)
	}
}

func TestLastEntryCounts(t *testing.T) {
	if got := load(t, "LATENCY_COUNT=7", "LATENCY_COUNT=8").Latency.Count; got != 8 {
		t.Errorf("of two entries the first or none counted: %d", got)
	}
}

func TestSettingsAreCopies(t *testing.T) {
	validated, _, err := config.Load(environ("DBROOTS=/a", "EXTRA_DIRECTORIES=/b"))
	if err != nil {
		t.Fatal(err)
	}
	want, changed := validated.Settings(), validated.Settings()
	if overwritten := overwriteSlices(reflect.ValueOf(&changed).Elem()); overwritten != 4 {
		t.Errorf("overwrote %d lists, not 4; name the new one here, and copy it in Settings", overwritten)
	}
	if diff := cmp.Diff(want, validated.Settings()); diff != "" {
		t.Errorf("a change of the copy reached the original (-want +got):\n%s", diff)
	}
}

// overwriteSlices clears the elements of each list in a struct, and returns how many it found.
func overwriteSlices(value reflect.Value) (found int) {
	if value.Kind() == reflect.Struct {
		for _, field := range value.Fields() {
			found += overwriteSlices(field)
		}
	}
	if value.Kind() == reflect.Slice {
		for i := range value.Len() {
			value.Index(i).SetZero()
		}
		found++
	}
	return found
}

func TestOnlyLoadValidates(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a Validated that nobody validated gave settings")
		}
	}()
	config.Validated{}.Settings()
}

func TestErrorsCanBeTakenApart(t *testing.T) {
	_, _, err := config.Load(environ("LATENCY_COUNT=x", "INGEST_ROWS=x"))
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) || len(joined.Unwrap()) != 2 {
		t.Errorf("not a join of two errors: %v", err)
	}
}
