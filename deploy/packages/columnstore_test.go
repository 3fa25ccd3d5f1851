//go:build columnstore

package packages_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/ingest"
	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/columnstore"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/debian"
)

// control is the engine's script on the node.
const control = "/srv/columnstore/columnstore "

// newColumnStore returns a node with a real engine. The engine's ports are fixed: they are in a network of their own.
func newColumnStore(t *testing.T) node {
	t.Helper()
	n := node{Machine: debian.Boot(t), t: t, address: testbed.FreeAddress(t), enter: "ip netns exec engine "}
	n.Run("mkdir /srv/columnstore; apt-get -qq update; apt-get -qq install --no-install-recommends iproute2")
	for _, file := range []string{"columnstore", "engine.tar.xz"} {
		run(t, "cp", filepath.Join(columnstore.Bed(t), file), n.Path("/srv/columnstore/"+file))
	}
	n.Run(control + "install")
	n.Run("ip netns add engine; ip -n engine link set lo up")
	n.Run(n.enter + control + "start >/dev/null 2>&1") // what it starts would hold the pipe
	n.Write("/etc/systemd/system/"+unit+".d/network.conf", "[Service]\nNetworkNamespacePath=/run/netns/engine\n")
	const account = "'columnstore_exporter'@'localhost'"
	grants := append(ingest.Grants(account, "columnstore_exporter"), ingest.ColumnStoreGrants(account)...)
	n.Write("/srv/user.sql", "CREATE USER "+account+" IDENTIFIED BY 'secret';\n"+strings.Join(grants, ";\n")+";\n")
	n.Run(control + "sql </srv/user.sql")
	return n
}

// TestColumnStoreImportsUnderTheUnit shows that cpimport works in the unit's sandbox, and that a stop spares it.
func TestColumnStoreImportsUnderTheUnit(t *testing.T) {
	n := newColumnStore(t)
	n.install("dpkg --install", built(t, ".deb"))
	n.start("COLUMNSTORE_EXPORTER_INGEST_DSN=columnstore_exporter:secret@unix(/run/columnstore/mariadbd.sock)/",
		"COLUMNSTORE_EXPORTER_INGEST_METHOD=cpimport")
	n.expect(success)
	const trial = "systemctl kill --kill-who=main --signal=SIGUSR1 " + unit
	n.Run(trial)
	n.expect(`columnstore_ingest_last_rows\{method="cpimport"\} 10000`)

	n.Run(trial)
	n.expect(`columnstore_ingest_in_flight_start_timestamp_seconds [1-9]`)
	n.Run("pgrep --exact cpimport.bin || pgrep cpimport")
	begun := time.Now()
	n.Run("systemctl stop " + unit)
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("the stop took %s", took)
	}
	n.Run("while pgrep cpimport; do sleep 0.1; done")
	if locks := n.Run(n.enter + "viewtablelock"); !strings.Contains(locks, "No tables are locked") {
		t.Errorf("the import left a lock:\n%s", locks)
	}
	n.start()
	n.Run(trial)
	n.expect(`columnstore_ingest_last_rows\{method="cpimport"\} 10000`)
}
