package transcript

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Lock is a lock on a ColumnStore table.
type Lock struct {
	// Table is database.table; empty where the text is about one table.
	Table string
	ID    int64
	// Process and PID are who holds it, as "cpimport.bin (pm1)" and its process id on that node.
	Process string
	PID     int
	State   string
}

var (
	unlocked = regexp.MustCompile(`(?i)is not locked by any process|no tables are locked`)
	gaps     = regexp.MustCompile(`\s{2,}`)
)

// ParseLocks reads the table that viewtablelock prints and mcsviewtablelock() returns: none for a table or an engine
// without a lock. A text that is neither is an error.
func ParseLocks(text string) ([]Lock, error) {
	if unlocked.MatchString(text) {
		return nil, nil
	}
	var locks []Lock
	var columns map[string]int
	for line := range strings.Lines(strings.ReplaceAll(text, `\n`, "\n")) {
		fields := gaps.Split(strings.TrimSpace(line), -1)
		switch {
		case columns == nil:
			columns = heading(fields)
		case len(fields) > 1:
			lock, err := lockOf(fields, columns)
			if err != nil {
				return nil, fmt.Errorf("read the table lock %q: %w", strings.TrimSpace(line), err)
			}
			locks = append(locks, lock)
		}
	}
	if len(locks) == 0 {
		return nil, fmt.Errorf("no list of table locks: %q", text)
	}
	return locks, nil
}

// heading returns the places of the columns when the line is the table's heading, else nil.
func heading(fields []string) map[string]int {
	places := map[string]int{}
	for i, name := range fields {
		places[strings.ToLower(name)] = i
	}
	if _, found := places["lockid"]; !found {
		return nil
	}
	return places
}

func lockOf(fields []string, columns map[string]int) (lock Lock, err error) {
	field := func(name string) string {
		if i, found := columns[name]; found && i < len(fields) {
			return fields[i]
		}
		return ""
	}
	lock.Table, lock.Process, lock.State = field("table"), field("process"), field("state")
	if lock.ID, err = strconv.ParseInt(field("lockid"), 10, 64); err != nil {
		return lock, fmt.Errorf("its id: %w", err)
	}
	if lock.PID, err = strconv.Atoi(field("pid")); err != nil {
		return lock, fmt.Errorf("its process: %w", err)
	}
	return lock, nil
}
