//go:build linux

// Command generate writes the dashboards' JSON into the directory that it is given.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/columnstore/columnstore_exporter/dashboards"
)

func main() {
	if err := generate(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1) //nolint:forbidigo // main ends the process
	}
}

func generate(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%d arguments instead of the one directory", len(args))
	}
	files, err := dashboards.All()
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(args[0], name), text, 0o644); err != nil { //nolint:gosec // for all to read
			return fmt.Errorf("write dashboard: %w", err)
		}
	}
	return nil
}
