package config

import "time"

// Settings is everything that the environment says, as typed values. The tags are the only place where names, defaults
// and ranges stand:
//
//   - envconfig: the variable's name without the prefix
//   - default: what an unset or empty variable means; without it, the zero value
//   - min, max: the range of a number, both ends included
//   - zero: 0 is allowed although it is below min, and means this
//   - oneof: the only values, separated by spaces
//   - check: how a string has to look (path, address, identifier)
type Settings struct {
	Web Web
	Log Log
	// Strict makes an unknown variable with the prefix an error.
	Strict bool `envconfig:"STRICT" default:"false"`
	// PProf serves /debug/pprof/.
	PProf bool `envconfig:"PPROF" default:"false"`
	// StateDir is the exporter's own directory: the trial CSV, cpimport's work and reject files.
	StateDir  string `envconfig:"STATE_DIR" default:"/var/lib/columnstore_exporter" check:"path"`
	Discovery Discovery
	// BaselinesFile is a YAML file with layouts of the user's own; empty for none.
	BaselinesFile string `envconfig:"BASELINES_FILE" check:"path"`
	Latency       Latency
	Ingest        Ingest
	Throughput    Throughput
}

// Web says where and how HTTP is served.
type Web struct {
	// ListenAddresses are host:port or :port, never empty and without duplicates.
	ListenAddresses []string `envconfig:"LISTEN_ADDRESS" default:":10570" check:"address"`
	// SystemdSocket takes the socket from systemd; then ListenAddresses are not used.
	SystemdSocket bool `envconfig:"WEB_SYSTEMD_SOCKET" default:"false"`
	// ConfigFile is exporter-toolkit's file for TLS and authentication; empty for neither.
	ConfigFile string `envconfig:"WEB_CONFIG_FILE" check:"path"`
}

// Log says what is logged and how.
type Log struct {
	Level  Level  `envconfig:"LOG_LEVEL" default:"info" oneof:"debug info warn error"`
	Format Format `envconfig:"LOG_FORMAT" default:"json" oneof:"json console"`
}

// Discovery says where the directories to probe are found.
type Discovery struct {
	ColumnstoreXML string `envconfig:"COLUMNSTORE_XML" default:"/etc/columnstore/Columnstore.xml" check:"path"`
	ModuleFile     string `envconfig:"MODULE_FILE" default:"/var/lib/columnstore/local/module" check:"path"`
	// DBRoots take the place of what ColumnstoreXML says. The names are the numbers 1 to 99, each once.
	DBRoots []NamedPath `envconfig:"DBROOTS"`
	// Extra are probed too. The names are unique.
	Extra []NamedPath `envconfig:"EXTRA_DIRECTORIES"`
	// Interval is the time between two looks at ColumnstoreXML and the directories.
	Interval time.Duration `envconfig:"DISCOVERY_INTERVAL" default:"30s" min:"1ms" max:"24h"`
}

// Latency says how the directories are probed.
type Latency struct {
	// Interval is from start to start of a run; 0 is off. A run fits into it.
	Interval time.Duration `envconfig:"LATENCY_INTERVAL" default:"1m" min:"1ms" max:"8760h" zero:"off"`
	// Count is the number of reads in a run, the first a warm-up that is not counted.
	Count int `envconfig:"LATENCY_COUNT" default:"30" min:"2" max:"1000000"`
	// RequestInterval is from start to start of a request.
	RequestInterval time.Duration `envconfig:"LATENCY_REQUEST_INTERVAL" default:"1s" min:"1us" max:"1h"`
	// RequestSize is a multiple of 512 bytes, as O_DIRECT needs it, and WorkingSet, the size of the probe file, a multiple
	// of RequestSize.
	RequestSize Size `envconfig:"LATENCY_REQUEST_SIZE" default:"4KiB" min:"512" max:"64MiB"`
	WorkingSet  Size `envconfig:"LATENCY_WORKING_SET" default:"1MiB" min:"512" max:"1TiB"`
	IO          IO   `envconfig:"LATENCY_IO" default:"direct" oneof:"direct buffered"`
	// Target is the guideline for the mean.
	Target time.Duration `envconfig:"LATENCY_TARGET" default:"700us" min:"1us" max:"1h"`
	// Commits is the number of commits after the reads of a run, none a warm-up; 0 is off.
	Commits int `envconfig:"COMMIT_COUNT" default:"5" min:"0" max:"1000000"`
}

// Buffered tells whether reads go through the page cache, which is dropped before each, as ioping does by default.
func (l Latency) Buffered() bool { return l.IO == IOBuffered }

// Ingest says how import trials are run.
type Ingest struct {
	// DSN is go-sql-driver's data source name. At most one of DSN and DSNFile is set; ReadDSN reads either.
	DSN     Secret `envconfig:"INGEST_DSN"`
	DSNFile string `envconfig:"INGEST_DSN_FILE" check:"path"`
	// Interval is from start to start of a trial; 0 is off.
	Interval time.Duration `envconfig:"INGEST_INTERVAL" default:"6h" min:"1s" max:"8760h" zero:"off"`
	Method   Method        `envconfig:"INGEST_METHOD" default:"auto" oneof:"auto cpimport load_data"`
	// Database and Table hold no slash, no control character, and, unless Method is load_data, no white space.
	Database string `envconfig:"INGEST_DATABASE" default:"columnstore_exporter" check:"identifier"`
	Table    string `envconfig:"INGEST_TABLE" default:"cptest" check:"identifier"`
	Engine   Engine `envconfig:"INGEST_ENGINE" default:"auto" oneof:"auto ColumnStore InnoDB Aria MyISAM RocksDB"`
	Rows     int    `envconfig:"INGEST_ROWS" default:"10000" min:"1" max:"100000000"`
	// MaxTableRows is at least Rows.
	MaxTableRows int           `envconfig:"INGEST_MAX_TABLE_ROWS" default:"150000" min:"1" max:"1000000000000"`
	Timeout      time.Duration `envconfig:"INGEST_TIMEOUT" default:"10m" min:"1s" max:"8760h"`
	CpimportPath string        `envconfig:"CPIMPORT_PATH" default:"/usr/bin/cpimport" check:"path"`
}

// Throughput says how throughput tests are run.
type Throughput struct {
	// Interval is from start to start of a run; 0 is off.
	Interval time.Duration `envconfig:"THROUGHPUT_INTERVAL" default:"0" min:"1s" max:"8760h" zero:"off"`
	// Duration is of one test.
	Duration time.Duration `envconfig:"THROUGHPUT_DURATION" default:"10s" min:"100ms" max:"1h"`
	// Tests are in the operator's order, each once.
	Tests []Test `envconfig:"THROUGHPUT_TESTS" default:"write,overwrite,rewrite,read,skipread" oneof:"write overwrite rewrite read skipread"`
	// Threads is the number of threads; 0 is one per physical core.
	Threads int `envconfig:"THROUGHPUT_THREADS" default:"0" min:"0" max:"1024"`
	// BlockSize is a multiple of 512 bytes, as O_DIRECT needs it.
	BlockSize Size `envconfig:"THROUGHPUT_BLOCK_SIZE" default:"1MiB" min:"4KiB" max:"64MiB"`
	// MaxBytes is what a run may write into one directory, at least BlockSize.
	MaxBytes Size `envconfig:"THROUGHPUT_MAX_BYTES" default:"1GiB" min:"4KiB" max:"1PiB"`
	// MinFree is what a run leaves free on the file system.
	MinFree FreeSpace `envconfig:"THROUGHPUT_MIN_FREE" default:"10%"`
	CRC     bool      `envconfig:"THROUGHPUT_CRC" default:"true"`
}
