//go:build linux

package topology

// Decision is what a new look at a target means for what was found before.
type Decision uint8

const (
	// Keep means that the target is on the mount that it was found on, or that the look tells nothing of the mount
	// (it failed). The state and the error are the new ones, the mount is the one found before.
	Keep Decision = iota
	// Adopt means that the new facts replace the ones found before.
	Adopt
	// Lost means that the mount is gone and the path falls through to the one under it, which is other storage: nothing
	// is measured there, and what was found before stands until a mount comes back.
	Lost
)

// String returns the decision's name for logs.
func (d Decision) String() string {
	switch d {
	case Keep:
		return "keep"
	case Adopt:
		return "adopt"
	default:
		return "lost"
	}
}

// Decide compares a new look with the facts found before; the zero Facts when there are none.
//
// A mount is known by its mountpoint: another one at the same place (remounted, mounted over, failed over) is adopted,
// and so is one that is nearer to the directory, or wherever a changed symlink leads.
func Decide(found, now Facts) Decision {
	switch {
	case found.Mountpoint == "":
		return Adopt
	case now.Mountpoint == "":
		return Keep
	case now.Mount == found.Mount && now.Mountpoint == found.Mountpoint:
		return Keep
	case within(now.Resolved, found.Mountpoint) && !within(now.Mountpoint, found.Mountpoint):
		return Lost
	default:
		return Adopt
	}
}
