//go:build linux

package topology

import (
	"cmp"
	"strconv"
	"strings"
)

// Key names the target uniquely among all targets of a node.
func (t Target) Key() string {
	return strings.Join([]string{string(t.Kind), t.DBRoot, t.Name, t.Directory}, "\x00")
}

// Compare orders targets as people look for them: by the number of the DBroot, the DBroot before its bulkRollback, extras last.
func (t Target) Compare(other Target) int {
	return cmp.Or(
		cmp.Compare(t.rank(), other.rank()),
		cmp.Compare(kindRank(t.Kind), kindRank(other.Kind)),
		cmp.Compare(t.Name, other.Name),
		cmp.Compare(t.Directory, other.Directory),
	)
}

// rank is the number of the DBroot; a target without one comes after all that have one.
func (t Target) rank() int {
	n, err := strconv.Atoi(t.DBRoot)
	if err != nil {
		return maxDBRoot + 1
	}
	return n
}

func kindRank(k Kind) int {
	switch k {
	case KindDBRoot:
		return 0
	case KindBulkRollback:
		return 1
	default:
		return 2
	}
}
