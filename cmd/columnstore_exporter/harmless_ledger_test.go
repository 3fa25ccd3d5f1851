//go:build mariadb

package main

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ledger is what was done in ColumnStore's directories, and which signals were sent.
type ledger struct {
	engine  engineFiles
	host    string
	files   map[entry]int
	signals map[entry]int
	wrong   []string
	pending map[string]bool // files made that are not yet given to their owner
	imports []string        // process ids
	ends    map[string]string
}

// entry is one row: where, which name or whom, and what.
type entry struct{ where, name, what string }

// newLedger reads a trace.
func newLedger(t *testing.T, engine engineFiles, trace string, imports []int) *ledger {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	l := &ledger{engine: engine, host: host, files: map[entry]int{}, signals: map[entry]int{}, pending: map[string]bool{}}
	for _, pid := range imports {
		l.imports = append(l.imports, strconv.Itoa(pid))
	}
	calls, ends := readTrace(t, trace)
	l.ends = ends
	for _, c := range calls {
		if c.signals() {
			l.signal(c)
			continue
		}
		for _, file := range c.paths() {
			if strings.HasPrefix(file, engine.root+"/") {
				l.file(c, file)
			}
		}
		l.follow(c)
	}
	return l
}

// follow follows a file from its making to its owner. A commit is timed as cpimport does it, and then given to the owner.
func (l *ledger) follow(c call) {
	files := c.paths()
	switch {
	case c.failed() || len(files) == 0 || !l.ours(path.Base(files[0])):
	case c.creates():
		l.pending[files[0]] = true
	case c.does() == "renamed" && len(files) == 2 && l.pending[files[0]]:
		delete(l.pending, files[0])
		l.pending[files[1]] = true
	case c.name == "fchown" && strings.HasSuffix(c.args, fmt.Sprintf(", %d, %d", engineUser, engineGroup)):
		delete(l.pending, files[0])
	case c.does() == "removed" && l.pending[files[0]]:
		l.complain(c, "removes a file that never had its owner")
	}
}

// file books a call on a file of a DBroot, and what is wrong with it.
func (l *ledger) file(c call, file string) {
	where, name := "a DBroot", path.Base(file)
	switch {
	case file == l.engine.first, file == l.engine.second:
		name = "itself"
	case file == l.engine.back, file == filepath.Join(l.engine.second, "bulkRollback"):
		where, name = "a bulkRollback", "itself"
	case path.Dir(file) == l.engine.back:
		where = "a bulkRollback"
	case path.Dir(file) != l.engine.first && path.Dir(file) != l.engine.second:
		l.complain(c, "touches %s", file)
	}
	what := c.does()
	l.files[entry{where, l.anonymous(name), what}]++
	switch {
	case name == "itself":
		if what != "opened for reading" {
			l.complain(c, "does more than open the directory %s", file)
		}
	case !l.ours(name):
		l.complain(c, "touches %s", file)
	case c.creates():
		if !strings.Contains(c.args, "O_EXCL") || !strings.Contains(c.args, "O_NOFOLLOW") || !strings.HasSuffix(c.args, ", 0600") {
			l.complain(c, "makes %s as it should not", file)
		}
	}
}

// signal books a signal; whom it is for is a word.
func (l *ledger) signal(c call) {
	if c.name == "tgkill" && strings.HasSuffix(c.args, ", SIGURG") {
		return // the Go runtime wakes its own threads
	}
	to := "the exporter's own"
	if slices.ContainsFunc(l.imports, func(pid string) bool { return regexp.MustCompile(`\b` + pid + `\b`).MatchString(c.args) }) {
		to = "an import"
	}
	name := regexp.MustCompile(`SIG[A-Z0-9]+|, 0\b`).FindString(c.args)
	l.signals[entry{to, strings.TrimPrefix(name, ", "), c.name}]++
	if to == "an import" && name == "SIGKILL" {
		l.complain(c, "kills an import")
	}
}

func (l *ledger) complain(c call, format string, args ...any) {
	l.wrong = append(l.wrong, fmt.Sprintf("%s(%s) = %s ", c.name, c.args, c.value)+fmt.Sprintf(format, args...))
}

// ours tells whether the Contract allows the name.
func (l *ledger) ours(name string) bool {
	return strings.HasPrefix(name, ".columnstore_exporter-"+l.host+".")
}

var numbers = regexp.MustCompile(`\.\d+\.\d+\.`)

// anonymous leaves out of a name what changes from file to file.
func (l *ledger) anonymous(name string) string {
	return numbers.ReplaceAllString(strings.ReplaceAll(name, "-"+l.host+".", "-HOST."), ".PID.TIME.")
}

// check fails the test for everything that is wrong, and where there is too little for a day.
func (l *ledger) check(t *testing.T) {
	t.Helper()
	for i, wrong := range l.wrong {
		if i == 20 {
			t.Errorf("and %d more", len(l.wrong)-i)
			break
		}
		t.Error(wrong)
	}
	for file := range l.pending {
		t.Errorf("%s was not given to the owner of its directory", file)
	}
	for _, pid := range l.imports {
		if strings.Contains(l.ends[pid], "SIGKILL") {
			t.Errorf("the import %s was %s", pid, l.ends[pid])
		}
	}
	if l.signals[entry{"an import", "SIGTERM", "kill"}] != 1 {
		t.Errorf("the import under way was not asked to end: %v", l.signals)
	}
	created := entry{"a DBroot", ".columnstore_exporter-HOST.PID.TIME.commit", "created"}
	if want := 2 * aDay(t).commits; l.files[created] < want {
		t.Errorf("%d files of commits were made in the DBroots, want %d", l.files[created], want)
	}
	if len(l.ends) == 0 || len(l.imports) == 0 {
		t.Error("the trace tells no ends, or there was no import")
	}
}

// body is the document.
func (l *ledger) body(work day) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s work at the defaults, done at shorter intervals under `strace -f`, and then an end in the midst of an import: for each of\n"+
		"three directories (two DBroots and the bulkRollback of one; the other has none) %d runs of %d reads and %d commits, and %d trials with\n"+
		"a stand-in for cpimport. The file system is XFS, owned by another user than the exporter's, which is root.\n\n",
		map[bool]string{true: "A day's", false: "A part of a day's"}[*dayShare >= 1], work.runs, work.reads/work.runs, work.commits/work.runs, work.trials)
	b.WriteString("All calls on paths in the directories:\n\n| directory | name | what | times |\n|---|---|---|--:|\n")
	writeRows(&b, l.files)
	b.WriteString("\nEvery file was created with `O_EXCL`, `O_NOFOLLOW` and mode 0600, and given to the owner of its directory. The absent bulkRollback\n" +
		"is still absent. Without the three probe files, blocks (`du`), inodes (`df -i`), and mode, owner, content and time of change of every\n" +
		"file of ColumnStore's are what they were before.\n\n")
	b.WriteString("All signals sent, but for those by which the Go runtime wakes its own threads:\n\n| to | signal | call | times |\n|---|---|---|--:|\n")
	writeRows(&b, l.signals)
	return b.String()
}

func writeRows(b *strings.Builder, rows map[entry]int) {
	for _, e := range slices.SortedFunc(maps.Keys(rows), func(a, b entry) int {
		return strings.Compare(a.where+a.name+a.what, b.where+b.name+b.what)
	}) {
		fmt.Fprintf(b, "| %s | %s | %s | %d |\n", e.where, e.name, e.what, rows[e])
	}
}
