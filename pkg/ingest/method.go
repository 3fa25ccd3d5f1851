//go:build linux

package ingest

import (
	"os"

	"go.uber.org/zap"
)

// method returns how this trial imports.
func (t *trial) method() string {
	if t.o.Method != MethodAuto {
		return t.o.Method
	}
	if why := t.whyNotCpimport(); why != "" {
		t.log.Debug("import trials use LOAD DATA", zap.String("reason", why))
		return MethodLoadData
	}
	return MethodCpimport
}

// whyNotCpimport tells why auto does not take cpimport; empty when it does.
func (t *trial) whyNotCpimport() string {
	switch {
	case !t.onColumnStore():
		return "the table is not ColumnStore's"
	case t.o.PID1:
		return "the end of the exporter, as the first process of a container, would kill cpimport"
	}
	if err := t.o.cpimport().Check(); err != nil {
		return err.Error()
	}
	if host, err := os.Hostname(); err != nil || host != t.facts.Host {
		return "the server runs on another machine, " + t.facts.Host
	}
	info, err := os.Stat(t.o.CpimportPath)
	switch {
	case err != nil:
		return err.Error()
	case info.IsDir() || info.Mode()&0o111 == 0:
		return t.o.CpimportPath + " is not a program"
	}
	return ""
}
