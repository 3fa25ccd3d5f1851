//go:build linux

package cpimport_test

import (
	"io"
	"strings"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cpimport"
)

func TestCommandRefusesWhatCpimportWouldSplit(t *testing.T) {
	good := cpimport.Command{Path: "/usr/bin/cpimport", File: "/state/cptest.csv", Directory: "/state/cpimport", Database: "d", Table: "t"}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*cpimport.Command){
		"cpimport":    func(c *cpimport.Command) { c.Path = "cpimport" },
		"my db":       func(c *cpimport.Command) { c.Database = "my db" },
		"-h":          func(c *cpimport.Command) { c.Table = "-h" },
		"a`b":         func(c *cpimport.Command) { c.Table = "a`b" },
		`a\"b`:        func(c *cpimport.Command) { c.Table = `a"b` },
		"/a b/c":      func(c *cpimport.Command) { c.File = "/a b/c" },
		"/a,b":        func(c *cpimport.Command) { c.File = "/a,b" },
		"relative":    func(c *cpimport.Command) { c.Directory = "relative" },
		`/tab\there`:  func(c *cpimport.Command) { c.Directory = "/tab\there" },
		`/quote\"d`:   func(c *cpimport.Command) { c.Directory = `/quote"d` },
		`/back\\lash`: func(c *cpimport.Command) { c.Directory = `/back\lash` },
	} {
		command := good
		spoil(&command)
		err := command.Check()
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v, want one that names it", name, err)
		}
		if _, err := cpimport.Start(command, io.Discard, io.Discard); err == nil {
			t.Errorf("%s: started", name)
		}
	}
}

func TestOwnFile(t *testing.T) {
	for path, want := range map[string]bool{
		"/var/log/mariadb/columnstore/cpimport/Job_1057010570.log":                          true,
		"/var/log/mariadb/columnstore/cpimport/Job_1057010570.err":                          true,
		"/var/log/mariadb/columnstore/data/bulk/tmpjob/3000_D2026_T1_S2_Job_1057010570.xml": true,
		"/var/log/mariadb/columnstore/cpimport/Job_3000.log":                                false,
		"/var/log/mariadb/columnstore/cpimport/Job_10570105700.log":                         false,
		"Job_1057010570.log": false,
		"/etc/passwd":        false,
		"":                   false,
	} {
		if got := cpimport.OwnFile(path); got != want {
			t.Errorf("%q: %v, want %v", path, got, want)
		}
	}
}
