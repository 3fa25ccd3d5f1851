//go:build columnstore || packages

// Package packages_test installs the packages on a machine with a real systemd, runs the service there, and removes them.
package packages_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/testbed"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/debian"
)

// patience is how long the tests wait for what takes seconds on an idle machine.
const patience = 10 * time.Minute

// unit is the service, dbroot the DBroot, and state the exporter's own directory on a node.
const (
	unit   = "columnstore_exporter.service"
	dbroot = "/var/lib/columnstore/data1"
	state  = "/var/lib/columnstore_exporter"
)

// node is a machine for the exporter.
type node struct {
	*debian.Machine
	t       *testing.T
	address string // where the exporter is going to serve
	enter   string // what a command begins with to be in the exporter's network
}

// newNode returns a node with what MariaDB's packages and ColumnStore leave on one.
func newNode(t *testing.T) node {
	t.Helper()
	t.Parallel()
	n := node{Machine: debian.Boot(t), t: t, address: testbed.FreeAddress(t)}
	n.Run("useradd --system --user-group --home-dir /var/lib/mysql --shell /bin/false mysql")
	n.Run("install --directory --owner=mysql --group=mysql /var/lib/columnstore/{.,local,data1,data1/000.dir,data1/bulkRollback}")
	n.Write("/var/lib/columnstore/local/module", "pm1\n")
	n.Write("/etc/columnstore/Columnstore.xml", `<Columnstore><SystemConfig><DBRootCount>1</DBRootCount><DBRoot1>`+dbroot+`</DBRoot1></SystemConfig>
		<SystemModuleConfig><ModuleDBRootCount1-3>1</ModuleDBRootCount1-3><ModuleDBRootID1-1-3>1</ModuleDBRootID1-1-3></SystemModuleConfig></Columnstore>`)
	return n
}

// install makes a file of dist known to the machine, and installs it.
func (n node) install(command, file string) string {
	n.t.Helper()
	name := "/var/cache/" + filepath.Base(file)
	run(n.t, "cp", file, n.Path(name))
	return n.Run(command + " " + name + "; rm " + name)
}

// start starts the service with runs of a fraction of a second, and with more settings.
func (n node) start(more ...string) {
	n.t.Helper()
	n.Run(`cat >>/etc/default/columnstore_exporter <<-END
		COLUMNSTORE_EXPORTER_LISTEN_ADDRESS=` + n.address + `
		COLUMNSTORE_EXPORTER_LATENCY_INTERVAL=1s
		COLUMNSTORE_EXPORTER_LATENCY_COUNT=11
		COLUMNSTORE_EXPORTER_LATENCY_REQUEST_INTERVAL=10ms
		` + strings.Join(more, "\n") + `
	END
	systemctl start ` + unit + ` || { journalctl --no-pager --unit=` + unit + `; exit 1; }`)
}

// scrape returns what the exporter answers at /metrics.
func (n node) scrape() string {
	host, port, _ := strings.Cut(n.address, ":")
	answer, _ := n.Try(n.enter + `bash -c "exec 3<>/dev/tcp/` + host + "/" + port + `; printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3; cat <&3"`)
	return answer // which says why there is none
}

// expect waits until a line of /metrics matches.
func (n node) expect(line string) {
	n.t.Helper()
	var last string
	want := regexp.MustCompile("(?m)^" + line)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if last = n.scrape(); want.MatchString(last) {
			return
		}
	}
	n.t.Fatalf("no series %s in\n%s\n%s", line, last, n.Run("journalctl --no-pager --unit="+unit))
}

// unmount lets a run end first: its files keep the file system busy.
func (n node) unmount(directory string) {
	n.t.Helper()
	n.Run(fmt.Sprintf("for _ in $(seq %d); do umount %s && exit; sleep 0.1; done; exit 1", patience/(100*time.Millisecond), directory))
}

// property returns what systemctl shows of the service.
func (n node) property(name string) string {
	n.t.Helper()
	return strings.TrimSpace(n.Run("systemctl show --value --property=" + name + " " + unit))
}

// files lists what is on the machine's own file system, but for what changes by itself and for the package managers' books.
func (n node) files() string {
	n.t.Helper()
	return n.Run(`find / -xdev \( -path /var/lib/dpkg -o -path /var/lib/rpm -o -path /root -o -path /var/log -o -path /var/cache -o -path /var/lib/systemd \) -prune \
		-o -printf '%M %u:%g %p\n' | sort -k3`)
}

// dist is the directory with the packages for this machine.
var dist string

// TestMain makes the packages once for all tests.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if dist, err = os.MkdirTemp("", "packages"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(dist)
		cmd := exec.Command("make", "--silent", "-C", "../..", "packages", "DIST="+dist, "ARCHITECTURES="+runtime.GOARCH)
		if output, err := cmd.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "make packages: %v\n%s", err, output)
			return 1
		}
		return m.Run()
	}())
}

// built returns the package with the ending.
func built(t *testing.T, ending string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dist, "*"+ending))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d files %s (error %v)", len(found), ending, err)
	}
	return found[0]
}

const success = `columnstore_storage_success\{dbroot="1",directory="` + dbroot + `",kind="dbroot"\} 1`

// run runs a command, which must succeed, and returns what it prints.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v (is it installed? `make deps`)\n%s", name, args, err, output)
	}
	return string(output)
}
