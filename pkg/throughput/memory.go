//go:build linux

package throughput

import (
	"crypto/rand"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size and alignment of a transparent huge page, on most processors.
const hugePage = 2 << 20

// memory is buffers as O_DIRECT wants them: aligned, and never moved.
type memory struct{ mapped []byte }

// buffers maps n bytes and fills them with random ones.
//
// Where the kernel grants huge pages, a block lies in one piece of physical memory. Otherwise it is strewn over pages as
// chance will have it, which splits requests and differs from run to run: a factor of two on a fast virtual disk.
func (m *memory) buffers(n int) ([]byte, error) {
	mapped, err := unix.Mmap(-1, 0, n+hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, fmt.Errorf("map buffers of %d bytes: %w", n+hugePage, err)
	}
	m.mapped = mapped
	// Kernels without huge pages refuse, and nothing is lost.
	_ = unix.Madvise(mapped, unix.MADV_HUGEPAGE)
	skip := int(-uintptr(unsafe.Pointer(&mapped[0])) % hugePage)
	buffers := mapped[skip : skip+n]
	// It never fails, and never returns less.
	_, _ = rand.Read(buffers)
	return buffers, nil
}

func (m *memory) unmap() error {
	if m.mapped == nil {
		return nil
	}
	if err := unix.Munmap(m.mapped); err != nil {
		return fmt.Errorf("unmap buffers of %d bytes: %w", len(m.mapped), err)
	}
	return nil
}
