package worker_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"golang.org/x/sys/unix"

	"github.com/columnstore/columnstore_exporter/pkg/worker"
)

func TestKilledWorkerIsReplacedAfterABackOff(t *testing.T) {
	p := newPool(t, nil)
	path, _ := fifo(t)
	child := pid(t, p, "w")
	answer := begin(t.Context(), p, worker.Request{Worker: "w", Target: "t", Task: "open", Params: path})
	waitInFlight(t, p, "t", "open")
	signal(t, child, unix.SIGKILL)
	err := receive(t, answer)
	if !errors.Is(err, worker.ErrWorker) || !strings.Contains(err.Error(), "signal: killed") {
		t.Errorf("error %v, want ErrWorker for a killed process", err)
	}
	if lost := (*worker.LostError)(nil); !errors.As(err, &lost) || lost.Worker != "w" || lost.Operation != "open" {
		t.Errorf("lost with %+v, want w in its open", lost)
	}
	if op, ok := p.InFlight("t"); ok {
		t.Errorf("%v in flight in a dead worker", op)
	}
	if got := p.Restarts(); got != 1 {
		t.Errorf("%d restarts, want 1", got)
	}
	do[any](t, p, worker.Request{Worker: "other", Target: "t", Task: "echo"})
	eventually(t, "worker started again", func() bool {
		_, err := p.Do(t.Context(), worker.Request{Worker: "w", Target: "t", Task: "echo"})
		return err == nil
	})
	if got := pid(t, p, "w"); got == child {
		t.Errorf("process %d took a task after its death", got)
	}
}

func TestProgramThatCannotBeStartedIsLeftAloneForAWhile(t *testing.T) {
	p := newPool(t, func(o *worker.Options) { o.Executable = "/no/such/program" })
	starts := uint64(0)
	eventually(t, "back-off", func() bool {
		_, err := p.Do(t.Context(), worker.Request{Worker: "w", Target: "t", Task: "echo"})
		if !errors.Is(err, worker.ErrWorker) || !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("error %v, want ErrWorker for a missing program", err)
		}
		if strings.Contains(err.Error(), "starts again in") {
			return true
		}
		starts++
		return false
	})
	if got := p.Restarts(); got != starts || starts == 0 {
		t.Errorf("%d restarts, want %d: one for each start", got, starts)
	}
	if got := p.Workers(); got != 0 {
		t.Errorf("%d workers, want 0", got)
	}
}

// garbage is what a worker must not say. Each begins with a valid operation of task 1.
func garbage() map[string][]byte {
	const operation, event, result, errorText = 3, 4, 5, 6
	well := rawFrame(1, operation, 1, 10, []byte("12345678ab"))
	return map[string][]byte{
		"text":                bytes.Repeat([]byte("panic: runtime error\n"), 100),
		"nothing":             well,
		"half a header":       append(well, 1, 2, 3),
		"half a body":         append(well, rawFrame(1, result, 1, 100, []byte("{"))...),
		"other version":       append(well, rawFrame(2, result, 1, 4, []byte("null"))...),
		"unknown kind":        append(well, rawFrame(1, 77, 1, 0, nil)...),
		"order to the daemon": append(well, rawFrame(1, 2, 1, 0, nil)...),
		"task of nobody":      append(well, rawFrame(1, result, 99, 4, []byte("null"))...),
		"operation cut short": append(well, rawFrame(1, operation, 1, 7, []byte("1234567"))...),
		"long operation":      append(well, rawFrame(1, operation, 1, 73, make([]byte, 73))...),
		"long event":          append(well, rawFrame(1, event, 1, worker.MaxEvent+1, nil)...),
		"long result":         append(well, rawFrame(1, result, 1, worker.MaxMessage+1, nil)...),
		"longest error":       append(well, rawFrame(1, errorText, 1, 1<<32-1, nil)...),
	}
}

func rawFrame(version, kind byte, id uint64, size uint32, body []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, size)
	b = append(b, version, kind)
	b = binary.LittleEndian.AppendUint64(b, id)
	return append(b, body...)
}

// raw is a worker process that says the garbage of that name and hangs, or ends for want of more to say.
func raw(name string) error {
	if _, err := os.Stdout.Write(garbage()[name]); err != nil {
		return err
	}
	if name != "nothing" && !strings.HasPrefix(name, "half") {
		time.Sleep(time.Hour)
	}
	return nil
}

func TestMalformedAnswersEndTheWorker(t *testing.T) {
	for name := range garbage() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, func(o *worker.Options) { o.Args = []string{"raw", name} })
			err := receive(t, begin(t.Context(), p, worker.Request{Worker: "w", Target: "t", Task: "echo"}))
			if !errors.Is(err, worker.ErrWorker) {
				t.Errorf("error %v, want ErrWorker", err)
			}
			eventually(t, "process gone", func() bool { return p.Workers() == 0 })
			if got := p.Restarts(); got != 1 {
				t.Errorf("%d restarts, want 1", got)
			}
		})
	}
}

func TestStandardErrorIsLoggedWithinBounds(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	p := newPool(t, func(o *worker.Options) { o.Log = zap.New(core) })
	do[bool](t, p, worker.Request{Worker: "w", Target: "t", Task: "complain", Params: 5000})
	p.Close()
	eventually(t, "word of the lines dropped", func() bool { return logs.FilterMessage("worker output dropped").Len() > 0 })
	if got := logs.FilterMessage("worker output").Len(); got < 200 || got > 1000 {
		t.Errorf("%d of 5000 lines logged, want about 200 for every 10 s", got)
	}
	first := logs.FilterMessage("worker output").All()[0].ContextMap()
	if first["line"] != "line 0" || first["worker"] != "w" {
		t.Errorf("first line logged as %v", first)
	}
}
