package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/columnstore/columnstore_exporter/pkg/config"
)

// refusal is an environment that is not taken.
type refusal struct {
	name    string
	environ []string
	// want are the lines of the error without the prefix of variables.
	want []string
}

func refused(t *testing.T, tests []refusal) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for i := range test.want {
				test.want[i] = config.Prefix + "_" + test.want[i]
			}
			if diff := cmp.Diff(test.want, refuse(t, test.environ...)); diff != "" {
				t.Errorf("errors of %q (-want +got):\n%s", test.environ, diff)
			}
		})
	}
}

func TestRefusedAddresses(t *testing.T) {
	refused(t, []refusal{
		{
			"no port",
			[]string{"LISTEN_ADDRESS=localhost"},
			[]string{`LISTEN_ADDRESS: "localhost" is not an address to listen on; write it like :10570, 127.0.0.1:10570 or [::1]:10570`},
		},
		{
			"port without colon",
			[]string{"LISTEN_ADDRESS=10570"},
			[]string{`LISTEN_ADDRESS: "10570" is not an address to listen on; write it like :10570, 127.0.0.1:10570 or [::1]:10570`},
		},
		{
			"port too large",
			[]string{"LISTEN_ADDRESS=:65536"},
			[]string{`LISTEN_ADDRESS: ":65536" is not an address to listen on; write it like :10570, 127.0.0.1:10570 or [::1]:10570`},
		},
		{
			"URL",
			[]string{"LISTEN_ADDRESS=http://a:80"},
			[]string{`LISTEN_ADDRESS: "http://a:80" is not an address to listen on; write it like :10570, 127.0.0.1:10570 or [::1]:10570`},
		},
		{"odd host", []string{"LISTEN_ADDRESS=a b:80"}, []string{`LISTEN_ADDRESS: "a b" in "a b:80" is neither a host name nor an IP address`}},
		{"address twice", []string{"LISTEN_ADDRESS=:1,:2,:1"}, []string{`LISTEN_ADDRESS: ":1" is there twice; leave one out`}},
	})
}

func TestRefusedPaths(t *testing.T) {
	refused(t, []refusal{
		{"relative path", []string{"STATE_DIR=state"}, []string{`STATE_DIR: "state" is not an absolute path; begin it with a slash`}},
		{
			"NUL in path",
			[]string{"BASELINES_FILE=/a\x00b"},
			[]string{`BASELINES_FILE: "/a\x00b" holds a control character or is not UTF-8; rename the file or directory`},
		},
		{"path not UTF-8", []string{"DBROOTS=/a\xff"}, []string{`DBROOTS: "/a\xff" holds a control character or is not UTF-8; rename the file or directory`}},
		{
			"long path",
			[]string{"CPIMPORT_PATH=/" + strings.Repeat("p", 4095)},
			[]string{`CPIMPORT_PATH: "/` + strings.Repeat("p", 79) + `"… is longer than the kernel's 4095 bytes; shorten it`},
		},
	})
}

func TestRefusedDirectories(t *testing.T) {
	long := strings.Repeat("n", 65)
	refused(t, []refusal{
		{"comma in path", []string{"DBROOTS=/a,b"}, []string{`DBROOTS: "b" is not an absolute path; begin it with a slash`}},
		{"name without path", []string{"EXTRA_DIRECTORIES=a="}, []string{`EXTRA_DIRECTORIES: "a=" has a name and no directory; write it like name=/directory`}},
		{"number out of range", []string{"DBROOTS=100=/a,0=/b"}, []string{
			`DBROOTS: "100" is not the number of a DBroot; write it like 1=/a, with 1 to 99`, `DBROOTS: "0" is not the number of a DBroot; write it like 1=/b, with 1 to 99`,
		}},
		{"leading zero", []string{"DBROOTS=01=/a"}, []string{`DBROOTS: "01" is not the number of a DBroot; write it like 1=/a, with 1 to 99`}},
		{"number twice", []string{"DBROOTS=2=/a,/b"}, []string{`DBROOTS: "2" is the name of both "/a" and "/b"; give each its own`}},
		{"directory twice", []string{"DBROOTS=1=/a,2=//a/"}, []string{`DBROOTS: "//a/" is there both as "1" and as "2"; leave one out`}},
		{"extra without a usable name", []string{"EXTRA_DIRECTORIES=/,a b=/c," + long + "=/d"}, []string{
			`EXTRA_DIRECTORIES: "/" cannot be the name of "/"; write it like name=/, with 1 to 64 letters, digits, dots, dashes and underscores`,
			`EXTRA_DIRECTORIES: "a b" cannot be the name of "/c"; write it like name=/c, with 1 to 64 letters, digits, dots, dashes and underscores`,
			`EXTRA_DIRECTORIES: "` + long + `" cannot be the name of "/d"; write it like name=/d, with 1 to 64 letters, digits, dots, dashes and underscores`,
		}},
		{"extras of one name", []string{"EXTRA_DIRECTORIES=/a/x,/b/x"}, []string{`EXTRA_DIRECTORIES: "x" is the name of both "/a/x" and "/b/x"; give each its own`}},
	})
}

func TestRefusedLatencySettings(t *testing.T) {
	refused(t, []refusal{
		{"negative interval", []string{"LATENCY_INTERVAL=-1s"}, []string{`LATENCY_INTERVAL: -1s is out of range; choose from 1ms to 8760h, or 0 for off`}},
		{"no target", []string{"LATENCY_TARGET=0"}, []string{`LATENCY_TARGET: 0 is out of range; choose from 1us to 1h`}},
		{"no request", []string{"LATENCY_REQUEST_SIZE=0"}, []string{`LATENCY_REQUEST_SIZE: 0 is out of range; choose from 512 to 64MiB`}},
		{"negative commits", []string{"COMMIT_COUNT=-1"}, []string{`COMMIT_COUNT: -1 is out of range; choose from 0 to 1000000`}},
		{
			"request larger than file",
			[]string{"LATENCY_REQUEST_SIZE=2MiB"},
			[]string{`LATENCY_WORKING_SET: 1MiB is not a multiple of COLUMNSTORE_EXPORTER_LATENCY_REQUEST_SIZE=2MiB`},
		},
		{"ragged file", []string{"LATENCY_WORKING_SET=5KiB"}, []string{`LATENCY_WORKING_SET: 5KiB is not a multiple of COLUMNSTORE_EXPORTER_LATENCY_REQUEST_SIZE=4KiB`}},
		{"run longer than interval", []string{"LATENCY_INTERVAL=34s"}, []string{
			`LATENCY_INTERVAL: a run does not fit into 34s: COLUMNSTORE_EXPORTER_LATENCY_COUNT=30 and COLUMNSTORE_EXPORTER_COMMIT_COUNT=5` +
				` at COLUMNSTORE_EXPORTER_LATENCY_REQUEST_INTERVAL=1s take 35s; make the interval at least that, or the run shorter`,
		}},
		{"longest run", []string{"LATENCY_COUNT=1000000", "COMMIT_COUNT=1000000", "LATENCY_REQUEST_INTERVAL=1h"}, []string{
			`LATENCY_INTERVAL: a run does not fit into 1m: COLUMNSTORE_EXPORTER_LATENCY_COUNT=1000000 and COLUMNSTORE_EXPORTER_COMMIT_COUNT=1000000` +
				` at COLUMNSTORE_EXPORTER_LATENCY_REQUEST_INTERVAL=1h take 2000000h; make the interval at least that, or the run shorter`,
		}},
		{
			"a broken variable is not blamed on another",
			[]string{"LATENCY_INTERVAL=x", "LATENCY_COUNT=1000"},
			[]string{`LATENCY_INTERVAL: "x" is not a duration; write it like 1m or 30s`},
		},
	})
}

func TestRefusedIngestSettings(t *testing.T) {
	long := strings.Repeat("n", 65)
	refused(t, []refusal{
		{"two DSNs", []string{"INGEST_DSN=u@/", "INGEST_DSN_FILE=/f"}, []string{`INGEST_DSN: set beside COLUMNSTORE_EXPORTER_INGEST_DSN_FILE; leave one of them out`}},
		{"white space for cpimport", []string{"INGEST_DATABASE=a b", "INGEST_TABLE=c\u00a0d"}, []string{
			`INGEST_DATABASE: cpimport takes no white space and no leading dash in "a b"; choose another, or set COLUMNSTORE_EXPORTER_INGEST_METHOD=load_data`,
			`INGEST_TABLE: cpimport takes no white space and no leading dash in "c\u00a0d"; choose another, or set COLUMNSTORE_EXPORTER_INGEST_METHOD=load_data`,
		}},
		{"option for cpimport", []string{"INGEST_TABLE=-x"}, []string{
			`INGEST_TABLE: cpimport takes no white space and no leading dash in "-x"; choose another, or set COLUMNSTORE_EXPORTER_INGEST_METHOD=load_data`,
		}},
		{"white space in cpimport's files", []string{"STATE_DIR=/a b", "INGEST_DSN_FILE=/f"}, []string{
			`STATE_DIR: cpimport takes no white space and no leading dash in "/a b"; choose another, or set COLUMNSTORE_EXPORTER_INGEST_METHOD=load_data`,
		}},
		{"slash in name", []string{"INGEST_TABLE=a/b"}, []string{`INGEST_TABLE: "a/b" holds a slash; leave it out, the name becomes that of a directory`}},
		{"NUL in name", []string{"INGEST_DATABASE=a\x00b"}, []string{`INGEST_DATABASE: "a\x00b" holds a character that MariaDB takes in no name, or is not UTF-8`}},
		{"name beyond the BMP", []string{"INGEST_DATABASE=🗄"}, []string{`INGEST_DATABASE: "🗄" holds a character that MariaDB takes in no name, or is not UTF-8`}},
		{"long name", []string{"INGEST_TABLE=" + long}, []string{`INGEST_TABLE: "` + long + `" is longer than MariaDB's 64 characters; shorten it`}},
		{"unknown engine", []string{"INGEST_ENGINE=Inno"}, []string{`INGEST_ENGINE: "Inno" is none of auto, ColumnStore, InnoDB, Aria, MyISAM, RocksDB`}},
		{
			"table smaller than a trial",
			[]string{"INGEST_MAX_TABLE_ROWS=9999"},
			[]string{`INGEST_MAX_TABLE_ROWS: 9999 is less than COLUMNSTORE_EXPORTER_INGEST_ROWS=10000; the table has to hold one trial`},
		},
	})
}

func TestRefusedThroughputSettings(t *testing.T) {
	refused(t, []refusal{
		{"unknown test", []string{"THROUGHPUT_TESTS=read,fly"}, []string{`THROUGHPUT_TESTS: "fly" is none of write, overwrite, rewrite, read, skipread`}},
		{"test twice", []string{"THROUGHPUT_TESTS=read,write,READ"}, []string{`THROUGHPUT_TESTS: read is there twice; leave one out`}},
		{"ragged block", []string{"THROUGHPUT_BLOCK_SIZE=5000"}, []string{`THROUGHPUT_BLOCK_SIZE: 5000 bytes are not a multiple of 512, as O_DIRECT needs it`}},
		{
			"less than a block",
			[]string{"THROUGHPUT_MAX_BYTES=4KiB"},
			[]string{`THROUGHPUT_MAX_BYTES: 4KiB is less than COLUMNSTORE_EXPORTER_THROUGHPUT_BLOCK_SIZE=1MiB for each thread, COLUMNSTORE_EXPORTER_THROUGHPUT_THREADS=0; a test has to write a block a thread`},
		},
		{
			"less than a block a thread",
			[]string{"THROUGHPUT_MAX_BYTES=7MiB", "THROUGHPUT_THREADS=8"},
			[]string{`THROUGHPUT_MAX_BYTES: 7MiB is less than COLUMNSTORE_EXPORTER_THROUGHPUT_BLOCK_SIZE=1MiB for each thread, COLUMNSTORE_EXPORTER_THROUGHPUT_THREADS=8; a test has to write a block a thread`},
		},
		{"all of it free", []string{"THROUGHPUT_MIN_FREE=100%"}, []string{`THROUGHPUT_MIN_FREE: "100%" is not a share from 0% to below 100%; write it like 10% or 2.5%`}},
		{
			"no size",
			[]string{"THROUGHPUT_MIN_FREE=lots"},
			[]string{`THROUGHPUT_MIN_FREE: "lots" is not a size; write it like 4096, 4KiB or 1MiB, or as a share of the file system like 10%`},
		},
	})
}

func TestAccepted(t *testing.T) {
	for _, entry := range []string{
		"LISTEN_ADDRESS=:0,:0", "LISTEN_ADDRESS=[fe80::1%eth0]:10570", "LISTEN_ADDRESS=db-1.example.com:10570",
		"LATENCY_INTERVAL=35s", "LATENCY_INTERVAL=0", "INGEST_INTERVAL=0s", "THROUGHPUT_INTERVAL=0", "COMMIT_COUNT=0", "THROUGHPUT_THREADS=0",
		"LATENCY_WORKING_SET=4KiB", "LATENCY_TARGET=0.7ms", "INGEST_MAX_TABLE_ROWS=10000", "INGEST_TABLE=a`b", "INGEST_TABLE=größe",
		"STATE_DIR=/a b", "THROUGHPUT_MIN_FREE=0%", "THROUGHPUT_MAX_BYTES=1MiB",
	} {
		load(t, entry)
	}
	load(t, "INGEST_METHOD=load_data", "INGEST_DATABASE=a b", "STATE_DIR=/a b", "INGEST_DSN_FILE=/f")
}

func TestNamesOfDirectories(t *testing.T) {
	tests := []struct {
		entry string
		want  []config.NamedPath
	}{
		{"DBROOTS=/a,/b", []config.NamedPath{{Name: "1", Path: "/a"}, {Name: "2", Path: "/b"}}},
		{"DBROOTS=2=/b,1=/a", []config.NamedPath{{Name: "2", Path: "/b"}, {Name: "1", Path: "/a"}}},
		{"DBROOTS=99=/z,/b", []config.NamedPath{{Name: "99", Path: "/z"}, {Name: "2", Path: "/b"}}},
		{"DBROOTS=/a=b", []config.NamedPath{{Name: "1", Path: "/a=b"}}},
		{"DBROOTS=3=/a=b/", []config.NamedPath{{Name: "3", Path: "/a=b/"}}},
		{"EXTRA_DIRECTORIES=/srv/new/,old=/srv/old", []config.NamedPath{{Name: "new", Path: "/srv/new/"}, {Name: "old", Path: "/srv/old"}}},
	}
	for _, test := range tests {
		discovery := load(t, test.entry).Discovery
		if diff := cmp.Diff(test.want, append(discovery.DBRoots, discovery.Extra...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.entry, diff)
		}
	}
}
