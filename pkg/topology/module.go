//go:build linux

package topology

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
)

// maxModule is far above the one line that the module file holds.
const maxModule = 64 << 10

// pm is the name of a performance module, the only kind that owns DBroots.
var pm = regexp.MustCompile(`^pm0*([1-9]\d{0,3})$`)

// readModule returns the number of the performance module that this node is.
func readModule(path string, watch Operations) (int, error) {
	data, err := readFile("the module file", path, maxModule, watch)
	if err != nil {
		return 0, err
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	line = bytes.TrimSpace(line)
	match := pm.FindSubmatch(line)
	if match == nil {
		return 0, fmt.Errorf("the first line of %s is %.40q, not a performance module such as pm1", path, line)
	}
	number, err := strconv.Atoi(string(match[1]))
	if err != nil {
		return 0, fmt.Errorf("the module in %s: %w", path, err)
	}
	return number, nil
}
