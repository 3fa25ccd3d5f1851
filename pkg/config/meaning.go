package config

// meaning says what the variable of that name is for, in Markdown, for the reference. Defaults and closed sets are not
// repeated here unless a word about them is needed.
func meaning(name string) string {
	return map[string]string{
		"LISTEN_ADDRESS":     "Addresses to serve HTTP on, separated by commas: `:10570`, `127.0.0.1:10570`, `[::1]:10570`.",
		"WEB_SYSTEMD_SOCKET": "`true` takes the listening socket from systemd instead.",
		"WEB_CONFIG_FILE":    "exporter-toolkit web configuration file: TLS, client certificates, basic authentication.",

		"LOG_LEVEL":  "Least level that is logged: `debug`, `info`, `warn` or `error`.",
		"LOG_FORMAT": "`json`, or `console` for reading on a terminal. No line is left out by sampling.",

		"STRICT":    "`true` makes an unknown variable with the prefix an error instead of a warning.",
		"PPROF":     "`true` serves Go profiles under `/debug/pprof/`.",
		"STATE_DIR": "The exporter's own directory: the trial CSV, and cpimport's work and reject files.",

		"COLUMNSTORE_XML":    "ColumnStore's configuration, which names the DBroots. It is read again when it changes.",
		"MODULE_FILE":        "ColumnStore's file that says which PM this node is.",
		"DBROOTS":            "DBroot directories, in place of what `Columnstore.xml` says: `1=/a,2=/b`, or `/a,/b`, numbered from 1 by their place. A path cannot hold a comma.",
		"EXTRA_DIRECTORIES":  "Directories to probe besides, of kind `extra`, such as a candidate volume or `systemFiles/dbrm`: `name=/path,…`. Without a name it is the last element of the path.",
		"DISCOVERY_INTERVAL": "Time between two looks at `Columnstore.xml` and the directories.",
		"BASELINES_FILE":     "YAML file with storage layouts of your own, to be compared beside the published ones.",

		"LATENCY_INTERVAL":         "Time from start to start of a latency run; `0` turns latency probes off. The run has to fit: (`LATENCY_COUNT` + `COMMIT_COUNT`) × `LATENCY_REQUEST_INTERVAL`.",
		"LATENCY_COUNT":            "Reads in a run. The first is a warm-up that is not counted, as in ioping.",
		"LATENCY_REQUEST_INTERVAL": "Time from start to start of a request. It is part of what is measured.",
		"LATENCY_REQUEST_SIZE":     "Size of a read, a multiple of 512 bytes.",
		"LATENCY_WORKING_SET":      "Size of the probe file in each directory, a multiple of `LATENCY_REQUEST_SIZE`.",
		"LATENCY_IO":               "`direct` reads with O_DIRECT; `buffered` reads as ioping does by default, with the cache dropped before each request.",
		"LATENCY_TARGET":           "Guideline for the mean read latency.",
		"COMMIT_COUNT":             "Commits (create, write 4 KiB, fsync, rename) after the reads of a run, spaced by `LATENCY_REQUEST_INTERVAL`, without a warm-up; `0` turns them off.",

		"INGEST_DSN":            "Database for import trials, as a go-sql-driver data source name: `user:password@tcp(host:3306)/`. Trials run only when this or `INGEST_DSN_FILE` is set.",
		"INGEST_DSN_FILE":       "File that holds the data source name, in place of `INGEST_DSN`.",
		"INGEST_INTERVAL":       "Time from start to start of an import trial; `0` turns them off. The first runs one minute after the start, unless one ran within the interval.",
		"INGEST_METHOD":         "`cpimport`, `load_data`, or `auto`: cpimport where the binary and the engine are there.",
		"INGEST_DATABASE":       "Database of the trial's table; made when it is missing.",
		"INGEST_TABLE":          "The trial's table; made when it is missing. A table that the exporter did not make is never touched.",
		"INGEST_ENGINE":         "Engine of the trial's table: `ColumnStore`, `InnoDB`, `Aria`, `MyISAM`, `RocksDB`, or `auto`: ColumnStore where the server has it, else the server's default.",
		"INGEST_ROWS":           "Rows that a trial imports.",
		"INGEST_MAX_TABLE_ROWS": "The table is made anew before the next trial once it holds that many rows.",
		"INGEST_TIMEOUT":        "A trial older than this is reported stuck and asked to end by SIGTERM. SIGKILL is never sent.",
		"CPIMPORT_PATH":         "The cpimport binary.",

		"THROUGHPUT_INTERVAL":   "Time from start to start of a throughput run; `0` turns them off.",
		"THROUGHPUT_DURATION":   "Time for each test.",
		"THROUGHPUT_TESTS":      "Tests to run: any of `write`, `overwrite`, `rewrite`, `read`, `skipread`.",
		"THROUGHPUT_THREADS":    "Threads for each test; `0`: one for each physical core.",
		"THROUGHPUT_BLOCK_SIZE": "Size of a request, a multiple of 512 bytes.",
		"THROUGHPUT_MAX_BYTES":  "Most that a run writes into a directory, whatever the rate.",
		"THROUGHPUT_MIN_FREE":   "What a run leaves free: a share of the file system like `10%`, or a size like `20GiB`.",
		"THROUGHPUT_CRC":        "`true` gives each block a checksum when it is written and verifies it when it is read.",
	}[name]
}
