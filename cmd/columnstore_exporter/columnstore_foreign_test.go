//go:build columnstore

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/columnstore"
)

// foreign starts somebody else's import, with input that goes on until its end.
func (n *columnstoreNode) foreign(args ...string) *foreignImport {
	n.t.Helper()
	i := &foreignImport{Cmd: columnstore.Command(n.t, n.state, "cpimport", append([]string{"-m", "3"}, args...)...), t: n.t}
	i.Cmd.Stdout, i.Cmd.Stderr = &i.printed, &i.printed
	var err error
	if i.input, err = i.StdinPipe(); err != nil {
		n.t.Fatal(err)
	}
	if err := i.Start(); err != nil {
		n.t.Fatal(err)
	}
	return i
}

type foreignImport struct {
	*exec.Cmd
	t       testing.TB
	input   io.Closer
	printed lockedBuffer
}

// end ends the input, and waits for the end of the import, which must succeed.
func (i *foreignImport) end() {
	i.t.Helper()
	_ = i.input.Close()
	if err := i.Wait(); err != nil {
		i.t.Errorf("somebody else's import: %v\n%s", err, i.printed.String())
	}
}

// signal sends a process a signal.
func (n *columnstoreNode) signal(pid int, signal syscall.Signal) {
	n.t.Helper()
	if err := syscall.Kill(pid, signal); err != nil {
		n.t.Fatalf("signal %d: %v", pid, err)
	}
}

// reconfigure replaces a text in the engine's configuration, in place: owner and mode stay.
func (n *columnstoreNode) reconfigure(from, to string) (restore func()) {
	n.t.Helper()
	text, err := os.ReadFile(columnstore.Config)
	if err != nil {
		n.t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(from)) {
		n.t.Fatalf("no %s in %s", from, columnstore.Config)
	}
	write := func(text []byte) {
		if err := os.WriteFile(columnstore.Config, text, 0o600); err != nil {
			n.t.Fatal(err)
		}
	}
	restore = sync.OnceFunc(func() { write(text) })
	n.t.Cleanup(restore)
	write(bytes.ReplaceAll(text, []byte(from), []byte(to)))
	return restore
}
