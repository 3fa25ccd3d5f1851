//go:build linux

// Standin is a program to run in place of cpimport on a machine where no test binary runs. It does what the plan.json
// beside it says, see package cpimporttest.
package main

import (
	"fmt"
	"os"

	"github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest"
)

func main() {
	cpimporttest.Main()
	fmt.Fprintf(os.Stderr, "%s: no plan beside the program\n", os.Args[0])
	os.Exit(1)
}
