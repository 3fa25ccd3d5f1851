package config

// Level is the least level that is logged.
type Level string

// The levels, which zap knows by the same names.
const (
	LevelDebug Level = "debug"
	LevelInfo  Level = "info"
	LevelWarn  Level = "warn"
	LevelError Level = "error"
)

// Format is the form of a log line.
type Format string

// The formats.
const (
	FormatJSON    Format = "json"
	FormatConsole Format = "console"
)

// IO is how probe files are read.
type IO string

// The ways to read.
const (
	// IODirect reads with O_DIRECT.
	IODirect IO = "direct"
	// IOBuffered drops the page cache before each read, as ioping does by default.
	IOBuffered IO = "buffered"
)

// Method is how a trial imports.
type Method string

// The methods.
const (
	// MethodAuto takes cpimport where the binary and the engine are there, else LOAD DATA.
	MethodAuto     Method = "auto"
	MethodCpimport Method = "cpimport"
	MethodLoadData Method = "load_data"
)

// Engine is the storage engine of the trial's table, spelled as SHOW ENGINES does.
type Engine string

// The engines.
const (
	// EngineAuto takes ColumnStore where the server has it, else the server's default engine.
	EngineAuto        Engine = "auto"
	EngineColumnStore Engine = "ColumnStore"
	EngineInnoDB      Engine = "InnoDB"
	EngineAria        Engine = "Aria"
	EngineMyISAM      Engine = "MyISAM"
	EngineRocksDB     Engine = "RocksDB"
)

// Test names a throughput test.
type Test string

// The tests, in the order of the default.
const (
	TestWrite     Test = "write"
	TestOverwrite Test = "overwrite"
	TestRewrite   Test = "rewrite"
	TestRead      Test = "read"
	TestSkipRead  Test = "skipread"
)
