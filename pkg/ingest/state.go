//go:build linux

package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cpimport"
)

// memory is what a restarted exporter has to know.
type memory struct {
	// LastTrial is when the last trial was started.
	LastTrial time.Time `json:"last_trial"`
	// Import is the cpimport that was not seen to end.
	Import *cpimport.Identity `json:"import,omitempty"`
	// Prune are the files in the engine's directories that the last trial has made.
	Prune []string `json:"prune,omitempty"`
}

// directory is the exporter's own directory.
type directory string

func (d directory) path(name string) string { return filepath.Join(string(d), name) }

const memoryName = "ingest.json"

// recall reads what was remembered; nothing was where there is no file.
func (d directory) recall() (m memory, err error) {
	text, err := os.ReadFile(d.path(memoryName))
	if errors.Is(err, fs.ErrNotExist) {
		return memory{}, nil
	}
	if err != nil {
		return memory{}, fmt.Errorf("recall earlier trials: %w", err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return memory{}, fmt.Errorf("recall earlier trials: %s: %w", d.path(memoryName), err)
	}
	// Whatever the file says, nothing is removed that no trial of ours makes.
	m.Prune = slices.DeleteFunc(m.Prune, func(path string) bool { return !cpimport.OwnFile(path) })
	return m, nil
}

// remember writes m, all or nothing.
func (d directory) remember(m memory) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("remember this trial: %w", err)
		}
	}()
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode it: %w", err)
	}
	temporary := d.path(memoryName + ".new")
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return os.Rename(temporary, d.path(memoryName))
}

// errInUse says that another process runs a trial with the same directory.
var errInUse = errors.New("another process runs a trial with the same state directory")

// lock makes the directory where it is missing and keeps other processes from running trials with it until unlock.
func (d directory) lock() (unlock func(), err error) {
	if err := os.MkdirAll(string(d), 0o750); err != nil {
		return nil, fmt.Errorf("make the state directory: %w", err)
	}
	file, err := os.OpenFile(d.path("ingest.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the state directory: %w", err)
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = errInUse
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", file.Name(), err), file.Close())
	}
	return func() { _ = file.Close() }, nil
}

// free returns the bytes that an unprivileged process may still write.
func (d directory) free() (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(string(d), &st); err != nil {
		return 0, fmt.Errorf("measure the free space of %s: %w", string(d), err)
	}
	return int64(st.Bavail) * st.Bsize, nil
}
