//go:build linux

package mariadbtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

// messages is where Debian has the server's texts.
const messages = "/usr/share/mysql/english"

// Pack puts a server, with all of this machine that it needs, into a directory, which is made, too. It can be moved to a
// machine of the same kind that has nothing but a shell. There root runs the program run in it, which listens on the socket
// beside it.
func Pack(t testing.TB, dir string) {
	t.Helper()
	programs := filepath.Join(dir, "lib")
	if err := os.MkdirAll(programs, 0o755); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{template(t): "data", messages: "share/english"} {
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	mariadbd := find(t, "mariadbd")
	files := append(libraries(t, mariadbd), mariadbd)
	testbed.Must(t, exec.CommandContext(t.Context(), "cp", append([]string{"--dereference", "--target-directory=" + programs}, files...)...))
	if err := os.WriteFile(filepath.Join(dir, "run"), []byte(script()), 0o755); err != nil {
		t.Fatal(err)
	}
}

// script starts the server by the loader that lies beside it.
func script() string {
	options := slices.Concat(common("root", "$dir/data"), listening("$dir"), []string{"--lc-messages-dir=$dir/share"})
	return `#!/bin/sh
dir=$(cd "$(dirname "$0")" && pwd)
exec "$dir"/lib/ld-linux-*.so.* --library-path "$dir/lib" "$dir/lib/mariadbd" ` + strings.Join(options, " ") + "\n"
}

// libraries returns the paths of a program's libraries and of its loader.
func libraries(t testing.TB, program string) (paths []string) {
	t.Helper()
	for word := range strings.FieldsSeq(testbed.Must(t, exec.CommandContext(t.Context(), "ldd", program))) {
		if filepath.IsAbs(word) {
			paths = append(paths, word)
		}
	}
	return paths
}
