package config_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/config"
)

// Each test below is about something that envconfig by itself does and people do not expect.

func TestEmptyMeansDefault(t *testing.T) {
	want := load(t)
	for _, blank := range []string{"", " ", "\t\n"} {
		for _, v := range config.Reference() {
			validated, _, err := config.Load([]string{v.Name + "=" + blank})
			if err != nil {
				t.Errorf("%s=%q: %v", v.Name, blank, err)
				continue
			}
			if diff := cmp.Diff(want, validated.Settings()); diff != "" {
				t.Errorf("%s=%q is not the default (-want +got):\n%s", v.Name, blank, diff)
			}
		}
	}
}

func TestBlanksAroundValuesDoNotCount(t *testing.T) {
	got := load(t, "LATENCY_COUNT= 7\n", "LATENCY_INTERVAL=\t1h ", "STRICT= true", "LOG_LEVEL= warn ", "STATE_DIR= /s\r\n", "THROUGHPUT_BLOCK_SIZE= 8KiB ")
	if got.Latency.Count != 7 || got.Latency.Interval != time.Hour || !got.Strict || got.Log.Level != config.LevelWarn || got.StateDir != "/s" || got.Throughput.BlockSize != 8192 {
		t.Errorf("settings: %+v", got)
	}
}

func TestListsAreTrimmed(t *testing.T) {
	got := load(t, "DBROOTS= /a, ,/b ,", "THROUGHPUT_TESTS=, read ,write,", "LISTEN_ADDRESS=:1, :2,", "EXTRA_DIRECTORIES= x = /c ")
	want := load(t, "DBROOTS=/a,/b", "THROUGHPUT_TESTS=read,write", "LISTEN_ADDRESS=:1,:2", "EXTRA_DIRECTORIES=x=/c")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blanks in lists count (-without +with):\n%s", diff)
	}
}

func TestListOfNothingIsTheDefault(t *testing.T) {
	if diff := cmp.Diff(load(t), load(t, "THROUGHPUT_TESTS= , ,", "DBROOTS=,", "LISTEN_ADDRESS=,")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBareNamesAreNotRead(t *testing.T) {
	for _, v := range config.Reference() {
		bare := strings.TrimPrefix(v.Name, config.Prefix+"_")
		t.Setenv(bare, "nonsense")
		_, warnings, err := config.Load([]string{bare + "=nonsense"})
		if err != nil || len(warnings) > 0 {
			t.Errorf("%s was read: error %v, warnings %v", bare, err, warnings)
		}
	}
}

func TestNumbersAreDecimal(t *testing.T) {
	for _, text := range []string{"010", "0x10", "1_0", "1e1", "1.0", "+10", "ten", "10 0", "٣"} {
		want := fmt.Sprintf("COLUMNSTORE_EXPORTER_INGEST_ROWS: %q is not a whole number; write it like 30", text)
		if diff := cmp.Diff([]string{want}, refuse(t, "INGEST_ROWS="+text)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	want := `COLUMNSTORE_EXPORTER_INGEST_ROWS: "99999999999999999999" is too large a number`
	if diff := cmp.Diff([]string{want}, refuse(t, "INGEST_ROWS=99999999999999999999")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDurationsNeedAUnit(t *testing.T) {
	for _, text := range []string{"10", "1d", "one minute", "1m 30s", "-"} {
		want := fmt.Sprintf("COLUMNSTORE_EXPORTER_LATENCY_INTERVAL: %q is not a duration; write it like 1m or 30s", text)
		if diff := cmp.Diff([]string{want}, refuse(t, "LATENCY_INTERVAL="+text)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestSpellingOfClosedSets(t *testing.T) {
	got := load(t, "LOG_LEVEL=INFO", "INGEST_ENGINE=columnstore", "INGEST_METHOD=Load_Data", "THROUGHPUT_TESTS=SkipRead")
	if got.Log.Level != config.LevelInfo || got.Ingest.Engine != config.EngineColumnStore || got.Ingest.Method != config.MethodLoadData || got.Throughput.Tests[0] != config.TestSkipRead {
		t.Errorf("settings: %+v", got)
	}
}

func TestConstantsAreTheClosedSets(t *testing.T) {
	accept := func(name string, value any) { load(t, fmt.Sprintf("%s=%s", name, value)) }
	for _, level := range []config.Level{config.LevelDebug, config.LevelInfo, config.LevelWarn, config.LevelError} {
		accept("LOG_LEVEL", level)
	}
	for _, format := range []config.Format{config.FormatJSON, config.FormatConsole} {
		accept("LOG_FORMAT", format)
	}
	for _, io := range []config.IO{config.IODirect, config.IOBuffered} {
		accept("LATENCY_IO", io)
	}
	for _, method := range []config.Method{config.MethodAuto, config.MethodCpimport, config.MethodLoadData} {
		accept("INGEST_METHOD", method)
	}
	for _, engine := range []config.Engine{
		config.EngineAuto, config.EngineColumnStore, config.EngineInnoDB, config.EngineAria, config.EngineMyISAM, config.EngineRocksDB,
	} {
		accept("INGEST_ENGINE", engine)
	}
	for _, test := range []config.Test{config.TestWrite, config.TestOverwrite, config.TestRewrite, config.TestRead, config.TestSkipRead} {
		accept("THROUGHPUT_TESTS", test)
	}
}

func TestValuesInErrorsAreShort(t *testing.T) {
	for _, line := range refuse(t, "LATENCY_COUNT="+strings.Repeat("x", 100_000), "STATE_DIR="+strings.Repeat("é", 100_000)) {
		if len(line) > 400 {
			t.Errorf("%d bytes: %.200s…", len(line), line)
		}
	}
}
