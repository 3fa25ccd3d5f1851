//go:build linux

package topology

// Discover reads the sources and plans the targets. It touches the two files alone, and none of the directories: they
// are [Inspect]'s. What is wrong in one place is in Ignored or Error, and the rest goes on.
func Discover(src Sources, watch Operations) Topology {
	p := newPlan()
	if len(src.DBRoots) > 0 {
		p.addOverrides(src.DBRoots)
	} else if err := p.addColumnstore(src, watch); err != nil {
		p.Error = err.Error()
	}
	p.addExtras(src.Extra)
	return p.Topology
}
