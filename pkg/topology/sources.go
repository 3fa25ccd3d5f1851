//go:build linux

package topology

// Sources is what the operator configured: where to look for DBroots, and what to probe besides.
type Sources struct {
	// ColumnstoreXML and ModuleFile are the paths of ColumnStore's configuration and of the file that names this node's
	// module (pm1).
	ColumnstoreXML string `json:"columnstore_xml"`
	ModuleFile     string `json:"module_file"`
	// DBRoots, when there are any, replace both files, which are then not even opened.
	DBRoots []NumberedPath `json:"dbroots,omitempty"`
	// Extra are directories to probe besides the DBroots.
	Extra []NamedPath `json:"extra,omitempty"`
}

// NumberedPath is a DBroot's directory as the operator gave it.
type NumberedPath struct {
	// Number is 1 to 99 without leading zeros.
	Number string `json:"number"`
	Path   string `json:"path"`
}

// NamedPath is an extra directory as the operator gave it.
type NamedPath struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// Topology is what one discovery found.
type Topology struct {
	// Module is this node's module (pm1); empty when it is unknown or was not asked for.
	Module string `json:"module"`
	// Targets are sorted: by DBroot number, a DBroot before its bulkRollback, then the extras as configured.
	Targets []Planned `json:"targets"`
	Ignored []Ignored `json:"ignored"`
	// StorageManager tells that ColumnStore keeps its data in object storage, so that a DBroot is not where the data is.
	StorageManager bool `json:"storage_manager"`
	// Notes are what the operator should know about the whole, a sentence each.
	Notes []string `json:"notes,omitempty"`
	// Error says why the DBroots could not be read, and what to do; the extras are planned all the same. Empty otherwise.
	Error string `json:"error,omitempty"`
}

// Planned is a target and why it is one.
type Planned struct {
	Target
	// Reason names the element and the file, or the variable, that the target comes from.
	Reason string `json:"reason"`
}
