//go:build linux

package metrics

import (
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// targetLabels are the labels of every series of a directory.
var targetLabels = []string{"dbroot", "kind", "directory"} //nolint:gochecknoglobals // a table

// labelsOf are the values of the target labels.
func labelsOf(t topology.Target) []string {
	return []string{t.DBRoot, string(t.Kind), printable(t.Directory)}
}

// allOf matches every series with these values of the target labels.
func allOf(values []string) prometheus.Labels {
	all := make(prometheus.Labels, len(targetLabels))
	for i, label := range targetLabels {
		all[label] = values[i]
	}
	return all
}

// with returns the labels and more of them, sharing nothing.
func with(labels []string, more ...string) []string { return slices.Concat(labels, more) }

// printable replaces what is not UTF-8, which label values have to be and paths need not.
func printable(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
