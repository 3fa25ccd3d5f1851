//go:build linux

// Package cpimport runs ColumnStore's bulk loader: started so that it outlives whoever started it, watched without end,
// never killed.
package cpimport

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// JobID is the job id of every trial. cpimport names its log and its temporary job file after it. The engine takes the
// OID of a table for imports without a job id; OIDs end at 2²⁴, so that this one is nobody else's.
const JobID = 1_057_010_570

// Command is one import of a CSV file into a table of the local engine.
type Command struct {
	// Path is the program, File the CSV: absolute paths.
	Path, File string
	// Directory is the working directory, and where rejected rows go. It must be nobody else's.
	Directory string
	// Database and Table name the table.
	Database, Table string
}

var (
	// plainName is what survives cpimport's own splitting of its arguments, and is no option.
	plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// plainPath leaves out white space, at which cpimport splits its arguments, and commas, which part the names of files.
	plainPath = regexp.MustCompile(`^/[^\s,"'\\]*$`)
)

// Check tells what of the command cpimport cannot take: it joins its arguments and splits them again at white space.
func (c Command) Check() error {
	var wrong []error
	if !filepath.IsAbs(c.Path) {
		wrong = append(wrong, fmt.Errorf("cpimport %q: want an absolute path", c.Path))
	}
	for _, name := range []string{c.Database, c.Table} {
		wrong = append(wrong, CheckName(name))
	}
	for _, path := range []string{c.File, c.Directory} {
		if !plainPath.MatchString(path) {
			wrong = append(wrong, fmt.Errorf("path %q: cpimport takes absolute paths without white space, commas, quotes and backslashes only", path))
		}
	}
	return errors.Join(wrong...)
}

// CheckName tells whether cpimport can be given the name of a database or a table.
func CheckName(name string) error {
	if !plainName.MatchString(name) {
		return fmt.Errorf("name %q: cpimport takes letters, digits and underscores only", name)
	}
	return nil
}

// Args returns the arguments: this node alone (-m 3), no row may be rejected (-e 0), fields as package cptest writes them.
func (c Command) Args() []string {
	return []string{
		"-m", "3", "-e", "0", "-s", ",", "-E", `"`, "-j", strconv.Itoa(JobID), "-L", c.Directory, c.Database, c.Table, c.File,
	}
}

// OwnFile tells whether a file of the engine's directories is a trial's own by its name: Job_<id>.log, Job_<id>.err or
// ..._Job_<id>.xml.
func OwnFile(path string) bool {
	job := "Job_" + strconv.Itoa(JobID)
	name := filepath.Base(path)
	return filepath.IsAbs(path) && (name == job+".log" || name == job+".err" || strings.HasSuffix(name, "_"+job+".xml"))
}
