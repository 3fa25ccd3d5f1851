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
