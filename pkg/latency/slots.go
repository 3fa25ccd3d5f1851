//go:build linux

package latency

import "math/rand/v2"

// slots deals the block numbers of a working set in random order, none twice before all were dealt: what was read a
// moment ago may come from a cache further down.
type slots struct {
	order []uint32
	dealt int
}

// resize begins anew with count slots, unless that is what there is.
func (s *slots) resize(count int) {
	if len(s.order) == count {
		return
	}
	*s = slots{order: make([]uint32, count)}
	for i := range s.order {
		s.order[i] = uint32(i)
	}
}

// deal returns the next slot by one step of the Fisher-Yates shuffle.
func (s *slots) deal() int64 {
	if s.dealt == len(s.order) {
		s.dealt = 0
	}
	i := s.dealt
	j := i + rand.IntN(len(s.order)-i)
	s.order[i], s.order[j] = s.order[j], s.order[i]
	s.dealt++
	return int64(s.order[i])
}
