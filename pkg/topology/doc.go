//go:build linux

// Package topology says where to probe: it reads which DBroots are this node's from Columnstore.xml and the local module
// file, plans a target for each DBroot, its bulkRollback and each extra directory, and tells on which mount and device a
// target lies.
//
// [Discover] and [Inspect] touch paths that may hang for ever and belong in a process that may; [ReadMounts],
// [Mounts.Lexical] and [Decide] touch nothing but /proc.
package topology
