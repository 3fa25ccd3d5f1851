//go:build linux

package topology

// Kind says what a target directory is to ColumnStore. It is the value of the label kind.
type Kind string

const (
	// KindDBRoot is the directory of a DBroot.
	KindDBRoot Kind = "dbroot"
	// KindBulkRollback is the directory bulkRollback inside a DBroot, where cpimport keeps what a rollback needs.
	KindBulkRollback Kind = "bulkrollback"
	// KindExtra is a directory that the operator named, such as a candidate volume.
	KindExtra Kind = "extra"
)

// Target identifies one directory to probe. It is comparable, and the same directory under two kinds is two targets.
type Target struct {
	// DBRoot is the number of the DBroot as text, 1 to 99; empty for an extra.
	DBRoot string `json:"dbroot"`
	Kind   Kind   `json:"kind"`
	// Name is the operator's name of an extra; empty for the other kinds, and for a directory given on the command line.
	Name string `json:"name"`
	// Directory is the configured absolute path, symlinks unresolved.
	Directory string `json:"directory"`
}

// Label names the target as people do: "DBroot 1", "bulkRollback of DBroot 1", "extra:nvme", or the directory of an extra
// without a name.
func (t Target) Label() string {
	switch {
	case t.Kind == KindDBRoot:
		return "DBroot " + t.DBRoot
	case t.Kind == KindBulkRollback:
		return "bulkRollback of DBroot " + t.DBRoot
	case t.Name != "":
		return "extra:" + t.Name
	default:
		return t.Directory
	}
}

// State says whether a target's directory is there.
type State string

const (
	// StatePresent means that the directory could be opened.
	StatePresent State = "present"
	// StateAbsent means that there is no such directory. For a bulkRollback that is normal: the first import creates it.
	StateAbsent State = "absent"
	// StateUnknown means that nobody has looked yet, or that the look has not come back or failed (Facts.Error).
	StateUnknown State = "unknown"
)

// Facts is what is known of a target's directory and of the mount under it.
type Facts struct {
	State State `json:"state"`
	// Resolved is Directory with every symlink followed; where an absent directory would be.
	Resolved string `json:"resolved,omitempty"`
	FSType   string `json:"fstype,omitempty"`
	// Source is the mount's source as mountinfo has it: a device path, server:/export, a FUSE name.
	Source string `json:"source,omitempty"`
	// Device is the kernel's name of the block device (sda1, dm-3); empty where there is none (NFS, FUSE, tmpfs).
	Device     string `json:"device,omitempty"`
	Mountpoint string `json:"mountpoint,omitempty"`
	// Network is the network file system's type (nfs, nfs4, cifs, fuse.glusterfs); empty for a local one.
	Network string `json:"network,omitempty"`
	// Mount is the identity of the mount that the directory is on. An absent directory's mount is its parent's.
	Mount Mount `json:"mount"`
	// Error says why the directory is unknown, or absent where it should not be, and what to do.
	Error string `json:"error,omitempty"`
	// Reason is the storage failure reason (eio, eacces, …) that belongs to Error.
	Reason string `json:"reason,omitempty"`
}

// Mount identifies a mount within one mount namespace.
type Mount struct {
	// ID is the mount id of mountinfo(5) and statx(2).
	ID uint64 `json:"id"`
	// Device is major:minor as mountinfo has it. One worker process serves all targets of one Device.
	Device string `json:"device"`
}

// Ignored is something in the configuration that is not probed, and why.
type Ignored struct {
	Element string `json:"element"`
	Value   string `json:"value"`
	Reason  string `json:"reason"`
	// Mistake tells that the configuration is wrong there; otherwise it is left out as it should be.
	Mistake bool `json:"mistake,omitempty"`
}
