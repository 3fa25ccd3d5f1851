//go:build linux

package testbed

import (
	"embed"
	"os"
	"path/filepath"
	"testing"
)

//go:embed nfsguest/run nfsguest/guest-init nfsguest/guest-nfs
var nfsGuest embed.FS

// NFS runs a shell script in a QEMU guest that has a real NFS mount of its own server at /mnt/nfs, and returns its output.
// A copy of the directory programs is the script's current directory; static binaries run there. nfsguest/README.md tells
// what the script can do to the server. An exit status other than 0 fails the test, with the output. The first run on a
// machine builds the guest, which takes a minute; the others take ten seconds and the script's own time.
func NFS(t testing.TB, programs, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, nfsGuest); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "script")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	return Must(t, command(t, "bash", filepath.Join(dir, "nfsguest", "run"), "--timeout", "900", programs, file))
}
