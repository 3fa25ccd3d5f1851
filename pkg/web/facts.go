//go:build linux

package web

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/columnstore/columnstore_exporter/pkg/status"
	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// facts tells where the directory is, how it was measured and how often.
func facts(s status.Snapshot, t status.Target) []pair {
	var pairs []pair
	add := func(name, value string) {
		if value != "" {
			pairs = append(pairs, pair{name, value})
		}
	}
	add("mount", mount(t.Facts))
	if t.Facts.Resolved != t.Directory {
		add("leads to", t.Facts.Resolved)
	}
	add("I/O", proof(t))
	if t.LastSuccess != nil {
		add("last success", age(s.Time, *t.LastSuccess)+" ago")
	}
	add("runs", runs(t))
	add("failed", counts(t.Failed))
	add("last error", t.Error)
	if t.Throughput != nil {
		add("throughput", diagnosis(s.Time, *t.Throughput))
	}
	return pairs
}

func mount(f topology.Facts) string {
	if f.FSType == "" {
		return ""
	}
	text := f.FSType + " on " + f.Source
	if f.Device != "" && !strings.HasSuffix(f.Source, "/"+f.Device) {
		text += " (" + f.Device + ")"
	}
	return text + " at " + f.Mountpoint
}

func proof(t status.Target) string {
	switch {
	case t.IO == "":
		return ""
	case t.DeviceRatio == nil || !(*t.DeviceRatio >= 0):
		return t.IO + "; the file system does not tell what came from the device"
	case *t.DeviceRatio >= 0.995:
		return t.IO + "; every byte came from the device"
	default:
		return fmt.Sprintf("%s; %.0f %% of the bytes came from the device", t.IO, 100**t.DeviceRatio)
	}
}

func runs(t status.Target) string {
	text := strconv.FormatUint(t.Runs, 10)
	if skipped := counts(t.Skipped); skipped != "" {
		text += ", skipped: " + skipped
	}
	return text
}

// counts writes what is not 0, in the order of the names.
func counts(of map[string]uint64) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if of[name] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", name, of[name]))
		}
	}
	return strings.Join(parts, ", ")
}

func diagnosis(now time.Time, t status.Throughput) string {
	text := age(now, t.Ended) + " ago"
	if t.Diagnosis != nil {
		text += ". " + t.Diagnosis.Sentence
	}
	return text
}

// age is how long ago then was, at now.
func age(now, then time.Time) string {
	d := max(0, now.Sub(then)).Round(time.Second)
	hours, minutes, seconds := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", seconds)
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", minutes, seconds)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", hours, minutes)
	default:
		return fmt.Sprintf("%d days", hours/24)
	}
}
