//go:build linux

package topology

import "golang.org/x/sys/unix"

// Discoverer discovers again and again, and reads the files only when they have changed. It serves one goroutine at a time.
type Discoverer struct {
	sources Sources
	files   [2]fileVersion
	last    *Topology
}

// NewDiscoverer returns a Discoverer of the sources that has read nothing yet.
func NewDiscoverer(src Sources) *Discoverer { return &Discoverer{sources: src} }

// Discover is the package's [Discover], from memory when neither file has changed since it last went well.
func (d *Discoverer) Discover(watch Operations) Topology {
	var files [2]fileVersion
	if len(d.sources.DBRoots) == 0 {
		files[0] = versionOf(d.sources.ColumnstoreXML, watch)
		files[1] = versionOf(d.sources.ModuleFile, watch)
	}
	if d.last == nil || d.last.Error != "" || files != d.files {
		// The versions are older than what is read now: a change in between is found next time.
		last := Discover(d.sources, watch)
		d.last, d.files = &last, files
	}
	return *d.last
}

// fileVersion changes whenever a file's content or permissions do. The time is that of the inode's change, which unlike
// the modification time cannot be set back (cp -p, rsync -t). The zero value is a file that is not there.
type fileVersion struct {
	device, inode uint64
	size          int64
	changed       unix.Timespec
}

func versionOf(path string, watch Operations) fileVersion {
	defer watch.end()
	watch.begin("stat")
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil {
		return fileVersion{} // reading it tells why
	}
	return fileVersion{device: s.Dev, inode: s.Ino, size: s.Size, changed: s.Ctim}
}
