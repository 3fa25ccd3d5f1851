//go:build packages

package packages_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// probeFile is all that a run leaves in a directory.
const probeFile = "-rw------- mysql:mysql %s/.columnstore_exporter-node1.probe"

func TestDebLeavesTheNodeAsItWas(t *testing.T) {
	n := newNode(t)
	before := n.files()
	if said := n.install("dpkg --install", built(t, ".deb")); !strings.Contains(said, "systemctl enable --now columnstore_exporter") {
		t.Errorf("the installation does not say how to go on:\n%s", said)
	}
	if got := n.property("ActiveState") + " " + n.property("UnitFileState"); got != "inactive disabled" {
		t.Errorf("the installation leaves the service %s", got)
	}
	n.start()
	n.Run("systemctl enable --quiet " + unit)
	n.expect(success)
	if got := n.Run("stat --format='%A %U:%G' " + state + " /etc/default/columnstore_exporter"); got != "drwxr-x--- mysql:mysql\n-rw------- root:root\n" {
		t.Errorf("the state directory and the settings are\n%s", got)
	}
	n.Run("dpkg --purge columnstore-exporter")
	left := fmt.Sprintf(probeFile+"\n", dbroot) + fmt.Sprintf(probeFile+"\n", dbroot+"/bulkRollback")
	if diff := cmp.Diff(strings.Split(before, "\n"), without(n.files(), left)); diff != "" {
		t.Errorf("the purge leaves more than the probe files, or less than there was (-want +got):\n%s", diff)
	}
}

func TestDebUpgradesInPlace(t *testing.T) {
	n, file := newNode(t), built(t, ".deb")
	n.install("dpkg --install", file)
	n.start()
	n.expect(success)
	settings, pid := n.Run("cat /etc/default/columnstore_exporter"), n.property("MainPID")
	n.install("dpkg --install", file)
	if n.property("ActiveState") != "active" || n.property("MainPID") == pid {
		t.Errorf("the service is %s with process %s after an upgrade; it was %s before", n.property("ActiveState"), n.property("MainPID"), pid)
	}
	n.expect(success)
	if got := n.Run("cat /etc/default/columnstore_exporter"); got != settings {
		t.Errorf("the upgrade changed the settings to\n%s", got)
	}
}

func TestDebWarnsWithoutMariaDB(t *testing.T) {
	n := newNode(t)
	n.Run("userdel mysql")
	if said := n.install("dpkg --install", built(t, ".deb")); !strings.Contains(said, "no user mysql") {
		t.Errorf("the installation says\n%s", said)
	}
	if _, err := n.Try("getent passwd mysql"); err == nil {
		t.Error("the installation makes the user, who is MariaDB's to make")
	}
}

func TestRPMLeavesTheNodeAsItWas(t *testing.T) {
	n := newNode(t)
	before := n.files()
	n.install("rpm --install --nodeps --nosignature", built(t, ".rpm"))
	n.start()
	n.expect(success)
	n.Run("rpm --erase --nosignature columnstore-exporter")
	left := fmt.Sprintf(probeFile+"\n", dbroot) + fmt.Sprintf(probeFile+"\n", dbroot+"/bulkRollback")
	left += "drwxr-x--- mysql:mysql " + state + "\n-rw------- root:root /etc/default/columnstore_exporter.rpmsave\n"
	if diff := cmp.Diff(strings.Split(before, "\n"), without(n.files(), left)); diff != "" {
		t.Errorf("the removal leaves more than state, settings and probe files, or less than there was (-want +got):\n%s", diff)
	}
}

// TestServiceIsConfined shows that the machine's systemd applies what the unit asks for, without which the other tests would
// show little.
func TestServiceIsConfined(t *testing.T) {
	n := newNode(t)
	n.install("dpkg --install", built(t, ".deb"))
	n.start()
	n.expect(success)
	pid := n.property("MainPID")
	status := n.Run("cat /proc/" + pid + "/status")
	for _, want := range []string{"NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000"} {
		if !strings.Contains(status, want) {
			t.Errorf("no %q in\n%s", want, status)
		}
	}
	enter := "nsenter --mount --target=" + pid + " setpriv --reuid=mysql --regid=mysql --clear-groups "
	for _, path := range []string{"/usr/x", "/etc/x", "/proc/sys/kernel/hostname", "/sys/fs/cgroup/x"} {
		if _, err := n.Try(enter + "touch " + path); err == nil {
			t.Errorf("the service can write %s", path)
		}
	}
	n.Run("install --directory --owner=mysql /var/log/mariadb")
	n.Run(enter + "touch /dev/shm/x /tmp/x /var/tmp/x /var/log/mariadb/x " + dbroot + "/bulkRollback/x")
	n.Run("ls /dev/shm/x /tmp/x /var/tmp/x")
}

// TestStopSparesTheImport has a process in the service that stands for cpimport: in a session of its own.
func TestStopSparesTheImport(t *testing.T) {
	n := newNode(t)
	n.install("dpkg --install", built(t, ".deb"))
	n.Write("/etc/import", "[ -e /tmp/import ] || exec setsid --fork sh -c 'echo $$ >/tmp/import; exec sleep infinity'\n")
	n.Write("/etc/systemd/system/"+unit+".d/import.conf", "[Service]\nExecStartPost=/bin/sh /etc/import\nRestartSec=0\n")
	n.Run("systemctl daemon-reload")
	n.start()
	n.expect(success)
	alive := func(when string) {
		t.Helper()
		if name, err := n.Try("cat /proc/$(cat /tmp/import)/comm"); err != nil || name != "sleep\n" {
			t.Errorf("the import is gone after %s (%q)", when, name)
		}
	}
	alive("the start")
	begun := time.Now()
	n.Run("systemctl stop " + unit)
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("the stop took %s", took)
	}
	alive("a stop")
	n.Run("systemctl start " + unit)
	n.expect(success)
	alive("a start")
	pid := n.property("MainPID")
	n.Run("kill -KILL " + pid)
	for deadline := time.Now().Add(patience); n.property("ActiveState") != "active" || n.property("MainPID") == pid; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the daemon is not started again")
		}
	}
	alive("a crash")
	n.expect(success)
	n.Run("dpkg --purge columnstore-exporter")
	alive("a purge")
}

// TestDBrootComesAndGoes mounts file systems on a node whose exporter runs, as a fail-over does.
func TestDBrootComesAndGoes(t *testing.T) {
	n := newNode(t)
	n.install("dpkg --install", built(t, ".deb"))
	n.start()
	n.expect(success)
	for range 2 {
		n.Run("mount -t tmpfs -o uid=mysql,gid=mysql moved " + dbroot + "; systemctl reload " + unit)
		n.expect(`columnstore_storage_target_info\{dbroot="1",device="",directory="` + dbroot + `",fstype="tmpfs"`)
		n.expect(success)
		n.unmount(dbroot)
		if mounts := n.Run("grep -c moved /proc/" + n.property("MainPID") + "/mountinfo || :"); mounts != "0\n" {
			t.Errorf("the service holds the mount:\n%s", mounts)
		}
	}
}

func TestWrongSettingsAreNotTriedAgain(t *testing.T) {
	n := newNode(t)
	n.install("dpkg --install", built(t, ".deb"))
	n.Run("echo COLUMNSTORE_EXPORTER_LATENCY_COUNT=many >>/etc/default/columnstore_exporter")
	if _, err := n.Try("systemctl start " + unit); err == nil {
		t.Error("it starts with wrong settings")
	}
	if got := n.property("ActiveState") + " " + n.property("ExecMainStatus") + " " + n.property("NRestarts"); got != "failed 78 0" {
		t.Errorf("the service is %q", got)
	}
	if log := n.Run("journalctl --no-pager --unit=" + unit); !strings.Contains(log, "COLUMNSTORE_EXPORTER_LATENCY_COUNT") {
		t.Errorf("the journal does not name the variable:\n%s", log)
	}
}

// without returns the lines of text but for those of less.
func without(text, less string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || !strings.Contains(less, line+"\n") {
			lines = append(lines, line)
		}
	}
	return lines
}
