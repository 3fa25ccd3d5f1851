//go:build linux

package columnstore

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cpimport"
)

// Files returns the owner, the group and the mode of each of the engine's files, by path.
func Files(t testing.TB) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, root := range []string{data, filepath.Dir(Config), "/var/log/mariadb/columnstore"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return gone(err)
			}
			info, err := entry.Info()
			if err != nil {
				return gone(err)
			}
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				files[path] = fmt.Sprintf("%d:%d %v", st.Uid, st.Gid, info.Mode())
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// CompareFiles demands that the engine's files are as they were, and that new ones are its own as well. The logs of trials
// come and go.
func CompareFiles(t testing.TB, before, after map[string]string) {
	t.Helper()
	owner, _, _ := strings.Cut(before[DBRoot], " ")
	for path, now := range after {
		was, found := before[path]
		switch {
		case cpimport.OwnFile(path):
		case found && was != now:
			t.Errorf("%s is now %s, was %s", path, now, was)
		case !found && !strings.HasPrefix(now, owner+" "):
			t.Errorf("%s is new and %s, want the owner %s", path, now, owner)
		}
	}
	for path := range before {
		if _, found := after[path]; !found && !cpimport.OwnFile(path) {
			t.Errorf("%s is gone", path)
		}
	}
}

// gone forgives what a running engine has just removed.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
