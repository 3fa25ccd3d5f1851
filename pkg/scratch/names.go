//go:build linux

package scratch

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// prefix begins the names of all files of the exporter. It is hidden, and nothing that ColumnStore or its tools look
// for: no digits alone, no .tmp or _data at the end, no data1, no NNN.dir, no FILE001.cdf.
const prefix = ".columnstore_exporter-"

// hostLimit bounds the host in a name, in bytes. It is HOST_NAME_MAX of Linux.
const hostLimit = 64

// ProbeName returns the name of the probe file: the one file that stays. It carries the host, since the nodes of a
// cluster may share the directory.
func (d *Dir) ProbeName() string { return prefix + d.host + ".probe" }

// TempName returns a new name for a file that lives shorter than the process. What tells its purpose in lower-case
// letters.
//
// The name carries the process id and the wall clock in nanoseconds. The two together tell a later process whether the
// maker still lives, also where process ids repeat from start to start, as in containers.
func (d *Dir) TempName(what string) string {
	return fmt.Sprintf("%s%s.%d.%d.%s", prefix, d.host, os.Getpid(), time.Now().UnixNano(), what)
}

// temp is what the name of a temporary file says.
type temp struct {
	pid  int
	made time.Time
}

// parseTemp understands the names that TempName gives to files of host, and no others: neither the probe file's, nor
// those of a host whose name begins alike.
func parseTemp(name, host string) (temp, bool) {
	rest, ours := strings.CutPrefix(name, prefix+host+".")
	parts := strings.Split(rest, ".")
	if !ours || len(parts) != 3 || strings.Trim(parts[2], "abcdefghijklmnopqrstuvwxyz") != "" {
		return temp{}, false
	}
	pid, err := strconv.ParseUint(parts[0], 10, 31)
	if err != nil {
		return temp{}, false
	}
	nanoseconds, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || nanoseconds < 0 {
		return temp{}, false
	}
	return temp{pid: int(pid), made: time.Unix(0, nanoseconds)}, true
}

// cleanHost makes a host fit into a file name.
func cleanHost(host string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		default:
			return '_'
		}
	}, host)
	if clean == "" {
		return "localhost"
	}
	return clean[:min(len(clean), hostLimit)]
}
