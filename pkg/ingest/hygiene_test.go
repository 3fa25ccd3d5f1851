//go:build linux && mariadb

package ingest_test

import (
	"strings"
	"testing"
)

// TestHygiene reads in the server's general log what a trial and a look at the health have done.
func TestHygiene(t *testing.T) {
	b := newBed(t)
	b.Exec(t, "SET GLOBAL log_output='TABLE'", "TRUNCATE mysql.general_log", "SET GLOBAL general_log=1", "SET GLOBAL slow_query_log=1", "SET GLOBAL long_query_time=0",
		"TRUNCATE mysql.slow_log")
	r := b.runner(t)
	b.succeed(t, r)
	r.Health(t.Context())
	b.succeed(t, r)
	b.Exec(t, "SET GLOBAL general_log=0", "SET GLOBAL slow_query_log=0")

	mine := "(SELECT DISTINCT thread_id FROM mysql.general_log WHERE user_host LIKE '%" + user + "%')"
	statements := b.Column(t, "SELECT argument FROM mysql.general_log WHERE command_type = 'Query' AND thread_id IN "+mine, "argument")
	if len(statements) < 20 {
		t.Fatalf("%d statements in the log", len(statements))
	}
	all := strings.Join(statements, "\n")
	for _, statement := range statements {
		if !strings.HasPrefix(statement, "/* columnstore_exporter */ ") {
			t.Errorf("without a name: %s", statement)
		}
	}
	for _, want := range []string{"lock_wait_timeout=", "max_statement_time=", "slow_query_log=0", "sql_log_bin=0"} {
		if !strings.Contains(all, "SET SESSION "+want) {
			t.Errorf("%s is not set", want)
		}
	}
	if strings.Contains(all, password) {
		t.Error("the password is in a statement")
	}
	// The server notes the end of a connection when it comes to it, maybe after the next one's beginning.
	seen, last := map[string]bool{}, ""
	for _, thread := range b.Column(t, "SELECT thread_id FROM mysql.general_log WHERE command_type IN ('Connect', 'Query') AND thread_id IN "+mine+
		" ORDER BY event_time", "thread_id") {
		if thread != last && seen[thread] {
			t.Fatalf("connection %s is used beside connection %s", thread, last)
		}
		seen[thread], last = true, thread
	}
	if len(seen) < 5 { // one before and one after each import, and one for the health
		t.Errorf("%d connections in the log", len(seen))
	}
	if slow := b.Column(t, "SELECT sql_text FROM mysql.slow_log WHERE user_host LIKE '%"+user+"%' AND sql_text NOT LIKE '%SET SESSION%'", "sql_text"); len(slow) > 0 {
		t.Errorf("in the slow log: %q", slow)
	}
}
