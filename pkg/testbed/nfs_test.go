//go:build nfs

package testbed_test

import (
	"os"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
)

func TestNFSGuest(t *testing.T) {
	script, err := os.ReadFile("nfsguest/selftest.sh")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(testbed.NFS(t, t.TempDir(), string(script)))
}
