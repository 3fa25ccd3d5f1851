//go:build mariadb || nfs

package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// machine tells what the figures were seen on.
func machine() string {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return "unknown machine"
	}
	return fmt.Sprintf("Linux %s, %s, %d processors", unix.ByteSliceToString(name.Release[:]), runtime.GOARCH, runtime.NumCPU())
}

// commit is what was tested.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
