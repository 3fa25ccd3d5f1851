//go:build linux

package cpimporttest

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"
	"golang.org/x/sys/unix"
)

// childMark is the argument that makes the program a child which only keeps its streams open.
const childMark = "keep-the-streams-open"

// Main does the plan and ends the process when it was started as a stand-in; else it returns. TestMain calls it first.
func Main() {
	dir := filepath.Dir(os.Args[0])
	text, err := os.ReadFile(filepath.Join(dir, planName))
	if err != nil {
		return // an ordinary test binary
	}
	if len(os.Args) == 2 && os.Args[1] == childMark {
		time.Sleep(time.Hour)
	}
	var plan Plan
	if err = json.Unmarshal(text, &plan); err == nil {
		err = plan.do(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "stand-in:", err)
		syscall.Exit(99)
	}
	syscall.Exit(plan.Status) // without the second that the race detector takes for the end of a process
}

func (p Plan) do(dir string) error {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	signal.Ignore(syscall.SIGPIPE, syscall.SIGHUP) // as cpimport does
	if err := record(dir); err != nil {
		return err
	}
	if p.Child {
		if err := leaveChild(dir); err != nil {
			return err
		}
	}
	if err := p.backUp(); err != nil {
		return err
	}
	if err := p.talk(); err != nil {
		return err
	}
	if p.Hang {
		if err := p.hang(terminated); err != nil {
			return err
		}
	}
	if err := p.forget(); err != nil {
		return err
	}
	if p.Signal != 0 {
		signal.Reset()
		_ = unix.Kill(os.Getpid(), p.Signal)
		time.Sleep(time.Hour)
	}
	return nil
}

// hang returns once it is asked to, and its storage answers.
func (p Plan) hang(terminated <-chan os.Signal) error {
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		select {
		case <-terminated:
			fmt.Println("Received SIGTERM to terminate the process...")
			time.Sleep(p.Linger)
			return nil
		case <-again.C:
			if err := p.backUp(); err != nil {
				return err
			}
		}
	}
}

func (p Plan) talk() error {
	lines := strings.Repeat(strings.Repeat("noise ", 20)+"\n", 500)
	for n := int64(0); n < p.Noise; n += int64(len(lines)) {
		if _, err := os.Stdout.WriteString(lines); err != nil {
			return err
		}
	}
	if p.DSN != "" {
		if err := load(p.DSN, os.Args[len(os.Args)-3:]); err != nil {
			return err
		}
	}
	_, _ = os.Stdout.WriteString(p.Stdout)
	_, _ = os.Stderr.WriteString(p.Stderr)
	return nil
}

// record notes how the process was started.
func record(dir string) error {
	working, err := os.Getwd()
	if err != nil {
		return err
	}
	start := Start{Args: os.Args[1:], Env: os.Environ(), Dir: working, PID: os.Getpid(), PGID: unix.Getpgrp()}
	if start.SID, err = unix.Getsid(0); err != nil {
		return err
	}
	start.Stdin, _ = os.Readlink("/proc/self/fd/0")
	text, err := json.Marshal(start)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, argsName), text, 0o600); err != nil {
		return err
	}
	return note(dir, os.Getpid())
}

func note(dir string, pid int) error {
	file, err := os.OpenFile(filepath.Join(dir, pidsName), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = fmt.Fprintln(file, pid)
	return err
}

func leaveChild(dir string) error {
	child := exec.Command(os.Args[0], childMark)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		return err
	}
	return note(dir, child.Process.Pid)
}

// load does what cpimport does with the last three arguments: database, table, file.
func load(dsn string, args []string) error {
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	mysql.RegisterLocalFile(args[2])
	_, err = db.ExecContext(context.Background(), fmt.Sprintf("LOAD DATA LOCAL INFILE '%s' INTO TABLE `%s`.`%s` CHARACTER SET latin1 "+
		`FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"'`, args[2], args[0], args[1]))
	return err
}
