//go:build linux

package cpimport_test

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/columnstore/columnstore_exporter/pkg/ingest/cpimport"
	"github.com/columnstore/columnstore_exporter/pkg/testbed/cpimporttest"
)

func TestRunningFindsImportsByName(t *testing.T) {
	for name, want := range map[string]bool{"cpimport": true, "cpimport.bin": true, "cpimporter": false} {
		r := start(t, cpimporttest.New(t, name, cpimporttest.Plan{Stdout: "hanging\n", Hang: true}))
		r.printed.await(t, "hanging")
		running, err := cpimport.Running()
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(running, r.PID()); got != want {
			t.Errorf("%s: found %v, want %v", name, got, want)
		}
		if err := r.End(); err != nil {
			t.Fatal(err)
		}
		<-r.Done()
		if running, err = cpimport.Running(); err != nil || slices.Contains(running, r.PID()) {
			t.Errorf("%s: found although it has ended (%v)", name, err)
		}
	}
}

func TestIdentityOutlastsTheProcess(t *testing.T) {
	r := start(t, cpimporttest.New(t, "standin", cpimporttest.Plan{Stdout: "hanging\n", Hang: true}))
	r.printed.await(t, "hanging")
	identity, err := cpimport.Identify(r.PID())
	if err != nil {
		t.Fatal(err)
	}
	if !identity.Alive() || !cpimport.Exists(r.PID()) {
		t.Error("the process is not found")
	}
	if err := r.End(); err != nil {
		t.Fatal(err)
	}
	<-r.Done()
	if identity.Alive() || cpimport.Exists(r.PID()) {
		t.Error("the process is found although it has ended")
	}
	if _, err := cpimport.Identify(r.PID()); err == nil {
		t.Error("a process that has ended has an identity")
	}
}

func TestIdentityTellsProcessesOfOneIDApart(t *testing.T) {
	self, err := cpimport.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if !self.Alive() {
		t.Error("this process is not alive")
	}
	earlier, otherBoot := self, self
	earlier.Ticks--
	otherBoot.Boot = "another"
	if earlier.Alive() || otherBoot.Alive() {
		t.Error("another process of the same id is taken for it")
	}
}

func TestAZombieIsGone(t *testing.T) {
	child := exec.CommandContext(t.Context(), "true")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for cpimport.Exists(child.Process.Pid) { // until it has ended: nobody waits for it
	}
	if err := child.Wait(); err != nil {
		t.Errorf("it was not there to be waited for: %v", err)
	}
}
