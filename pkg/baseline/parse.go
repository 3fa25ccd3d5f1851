//go:build linux

package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/columnstore/columnstore_exporter/pkg/topology"
)

// Limits of a file of layouts.
const (
	maxFileBytes = 64 << 10
	maxLayouts   = 20
)

// file is a file of layouts of the user's own:
//
//	layouts:
//	  - name: our_san
//	    title: Two DBroots on the SAN
//	    host: 16 cores, 64 GB
//	    latencies:
//	      - {dbroot: 1, kind: dbroot, latency: 620us}
//	      - {dbroot: 1, kind: bulkrollback, latency: 510us}
//	    ingest: {lower: 8s, upper: 9s}
//
// Title, host, ingest and the latencies of kind bulkrollback may be left out.
type file struct {
	Layouts []fileLayout `yaml:"layouts"`
}

type fileLayout struct {
	Name      string        `yaml:"name"`
	Title     string        `yaml:"title"`
	Host      string        `yaml:"host"`
	Latencies []fileLatency `yaml:"latencies"`
	Ingest    *fileBounds   `yaml:"ingest"`
}

type fileLatency struct {
	DBRoot  int           `yaml:"dbroot"`
	Kind    topology.Kind `yaml:"kind"`
	Latency time.Duration `yaml:"latency"`
}

type fileBounds struct {
	Lower time.Duration `yaml:"lower"`
	Upper time.Duration `yaml:"upper"`
}

// Parse reads layouts of the user's own in the format that the type file shows. Path is the name of the file for errors;
// these tell the line, the layout and what to write instead, all of them at once.
func Parse(path string, r io.Reader) ([]Layout, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read layouts from %s: %w", path, err)
	}
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("read layouts from %s: larger than %d KiB", path, maxFileBytes>>10)
	}
	content, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("read layouts from %s: %w", path, err)
	}
	if err := content.validate(lines(text)); err != nil {
		return nil, fmt.Errorf("read layouts from %s: %w", path, err)
	}
	return content.layouts(), nil
}

// decode refuses unknown fields, and documents after the first.
func decode(text []byte) (file, error) {
	var content file
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	switch err := decoder.Decode(&content); {
	case errors.Is(err, io.EOF):
		return file{}, errors.New("empty: write a list under layouts")
	case err != nil:
		return file{}, fmt.Errorf("decode YAML: %w", err)
	}
	if err := decoder.Decode(&file{}); !errors.Is(err, io.EOF) {
		return file{}, errors.New("more than one YAML document: put every layout under one list")
	}
	return content, nil
}

// lines returns the line of each layout. The text is known to decode.
func lines(text []byte) []int {
	var tree struct {
		Layouts []yaml.Node `yaml:"layouts"`
	}
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return nil
	}
	at := make([]int, len(tree.Layouts))
	for i, node := range tree.Layouts {
		at[i] = node.Line
	}
	return at
}

func (f file) layouts() []Layout {
	layouts := make([]Layout, 0, len(f.Layouts))
	for _, in := range f.Layouts {
		out := Layout{Name: in.Name, Title: in.Title, Host: in.Host}
		if out.Title == "" {
			out.Title = in.Name
		}
		for _, l := range in.Latencies {
			out.Latencies = append(out.Latencies, Latency{DBRoot: strconv.Itoa(l.DBRoot), Kind: l.Kind, Seconds: l.Latency.Seconds()})
		}
		if in.Ingest != nil {
			out.Ingest = &Bounds{Lower: in.Ingest.Lower.Seconds(), Upper: in.Ingest.Upper.Seconds()}
		}
		layouts = append(layouts, out)
	}
	return layouts
}
