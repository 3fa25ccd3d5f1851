//go:build linux

package cpimport

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/prometheus/procfs"
)

// zombie is the state of a process that has ended and was not waited for.
const zombie = "Z"

// Running returns the ids of the processes named cpimport or cpimport.bin that this process can see.
func Running() ([]int, error) {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return nil, fmt.Errorf("look for running imports: %w", err)
	}
	all, err := proc.AllProcs()
	if err != nil {
		return nil, fmt.Errorf("look for running imports: %w", err)
	}
	var running []int
	for _, p := range all {
		stat, err := p.Stat()
		if err != nil {
			continue // it has just ended
		}
		if (stat.Comm == "cpimport" || stat.Comm == "cpimport.bin") && stat.State != zombie {
			running = append(running, p.PID)
		}
	}
	return running, nil
}

// Identity tells a process apart from all others, past and future: its id is used again, but not with the same start.
type Identity struct {
	PID int `json:"pid"`
	// Ticks is the start in clock ticks since the boot, Boot the boot's own id.
	Ticks uint64 `json:"ticks"`
	Boot  string `json:"boot"`
}

// Identify returns the identity of a process.
func Identify(pid int) (Identity, error) {
	stat, err := status(pid)
	if err != nil {
		return Identity{}, err
	}
	boot, err := bootID()
	if err != nil {
		return Identity{}, err
	}
	return Identity{PID: pid, Ticks: stat.Starttime, Boot: boot}, nil
}

// Alive tells whether that very process runs. A process that cannot be asked about counts as running.
func (i Identity) Alive() bool {
	boot, err := bootID()
	if err != nil {
		return true
	}
	stat, err := status(i.PID)
	if err != nil {
		return !gone(err)
	}
	return boot == i.Boot && stat.Starttime == i.Ticks && stat.State != zombie
}

// Exists tells whether a process of that id runs.
func Exists(pid int) bool {
	stat, err := status(pid)
	if err != nil {
		return !gone(err)
	}
	return stat.State != zombie
}

func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) }

func status(pid int) (procfs.ProcStat, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return procfs.ProcStat{}, fmt.Errorf("look at process %d: %w", pid, err)
	}
	stat, err := p.Stat()
	if err != nil {
		return procfs.ProcStat{}, fmt.Errorf("look at process %d: %w", pid, err)
	}
	return stat, nil
}

func bootID() (string, error) {
	const path = "/proc/sys/kernel/random/boot_id"
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("tell this boot from others: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
