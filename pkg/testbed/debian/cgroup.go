//go:build linux

package debian

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// cgroups are directories below which a machine's systemd keeps its units: one in each hierarchy that a systemd uses. Two
// machines in the same ones would end each other's units.
type cgroups []string

// newCgroups makes those of that name below the test's own.
func newCgroups(name string) (made cgroups, err error) {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		hierarchy := strings.SplitN(strings.TrimSpace(line), ":", 3) // number, controllers, path
		var root string
		switch hierarchy[1] {
		case "name=systemd":
			root = "/sys/fs/cgroup/systemd"
		case "":
			root = "/sys/fs/cgroup/unified"
			if _, err := os.Stat(root); err != nil {
				root = "/sys/fs/cgroup"
			}
		default:
			continue
		}
		dir := filepath.Join(root, hierarchy[2], name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			return made, err
		}
		made = append(made, dir)
	}
	return made, nil
}

// command is a command line that runs args in the groups.
func (c cgroups) command(args ...string) []string {
	const enter = `while [[ $1 != -- ]]; do echo $$ >"$1/cgroup.procs"; shift; done; shift; exec "$@"`
	return slices.Concat([]string{"bash", "-ec", enter, "enter"}, c, []string{"--"}, args)
}

// remove removes the groups with those below, which must be empty.
func (c cgroups) remove() error {
	var all []string
	for _, dir := range c {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				all = append(all, path)
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	slices.Reverse(all)
	for _, dir := range all {
		if err := os.Remove(dir); err != nil {
			return err
		}
	}
	return nil
}
