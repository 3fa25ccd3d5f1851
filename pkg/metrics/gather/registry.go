//go:build linux

// Package gather is a Prometheus registry for many series.
//
// The registry of client_golang compares every series with every other at each gathering. With a thousand directories that
// is most of a scrape. Here names, labels and help texts are checked when a collector is registered, and the collectors are
// trusted not to give a series twice; tests hold them to that with a pedantic registry.
package gather

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Registry is a [prometheus.Registerer] and a [prometheus.Gatherer]. All its methods may be called at once.
type Registry struct {
	described *prometheus.Registry // holds what the collectors describe and gathers nothing

	mu         sync.Mutex
	collectors []prometheus.Collector
	templates  map[*prometheus.Desc]template
}

// NewRegistry returns a registry without collectors.
func NewRegistry() *Registry {
	return &Registry{described: prometheus.NewRegistry(), templates: make(map[*prometheus.Desc]template)}
}

// Register takes in a collector that describes its series. The errors are those of [prometheus.Registry.Register].
func (r *Registry) Register(c prometheus.Collector) error {
	err := r.described.Register(description{c})
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.collectors = append(r.collectors, c)
		return nil
	}
	var known prometheus.AlreadyRegisteredError
	if !errors.As(err, &known) {
		return fmt.Errorf("register a collector: %w", err)
	}
	return prometheus.AlreadyRegisteredError{ExistingCollector: undescribed(known.ExistingCollector), NewCollector: c}
}

// MustRegister takes in collectors and panics at the first that cannot be.
func (r *Registry) MustRegister(collectors ...prometheus.Collector) {
	for _, c := range collectors {
		if err := r.Register(c); err != nil {
			panic(err)
		}
	}
}

// Unregister lets go of c, and tells whether it was registered. Unlike with Prometheus, another collector of the same
// description is not c.
func (r *Registry) Unregister(c prometheus.Collector) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.collectors, c)
	if i < 0 {
		return false
	}
	r.collectors = slices.Delete(r.collectors, i, i+1)
	return r.described.Unregister(description{c})
}

// description is a collector that only describes.
type description struct{ prometheus.Collector }

// Collect implements prometheus.Collector.
func (description) Collect(chan<- prometheus.Metric) {}

func undescribed(c prometheus.Collector) prometheus.Collector {
	if d, ok := c.(description); ok {
		return d.Collector
	}
	return c
}
