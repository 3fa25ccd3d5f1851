//go:build packages

package debian_test

import (
	"strings"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/debian"
)

func TestMachineRunsUnitsAndForgets(t *testing.T) {
	for range 2 {
		t.Run("boot", func(t *testing.T) {
			m := debian.Boot(t)
			if left, err := m.Try("cat /srv/once"); err == nil {
				t.Errorf("it remembers %q", left)
			}
			m.Write("/srv/once", "text")
			m.Write("/etc/systemd/system/test.service", "[Service]\nType=oneshot\nExecStart=/bin/cp /srv/once /srv/twice\n")
			m.Run("systemctl daemon-reload; systemctl start test.service")
			if got := m.Run("cat /srv/twice; hostname"); !strings.HasPrefix(got, "textnode1") {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestMachinesLeaveEachOtherAlone(t *testing.T) {
	one, two := debian.Boot(t), debian.Boot(t)
	for _, m := range []*debian.Machine{one, two} {
		m.Write("/etc/systemd/system/test.service", "[Service]\nExecStart=/bin/sleep infinity\n")
		m.Run("systemctl daemon-reload; systemctl start test.service")
	}
	one.Run("systemctl stop test.service")
	if state := one.Run("systemctl is-active test.service || :"); state != "inactive\n" {
		t.Errorf("the one is %s", state)
	}
	if state := two.Run("systemctl is-active test.service"); state != "active\n" {
		t.Errorf("the other is %s", state)
	}
}
