package logsink_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/columnstore/columnstore_exporter/pkg/logsink"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func report(lost uint64) []byte { return fmt.Appendf(nil, "%d lost\n", lost) }

func TestLinesAreWrittenInOrderUpToTheLast(t *testing.T) {
	var out bytes.Buffer
	s := logsink.New(&out, 100, report)
	var want strings.Builder
	for i := range 100 {
		fmt.Fprintf(io.MultiWriter(s, &want), "line %d\n", i)
	}
	if err := s.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	if out.String() != want.String() {
		t.Errorf("got %q", out.String())
	}
}

// The reader of the log stands still, then reads again.
func TestAReaderThatHangsKeepsNobodyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		s := logsink.New(writer, 2, report)
		for i := range 10 {
			fmt.Fprintf(s, "line %d\n", i)
			synctest.Wait() // the first is taken out of the queue and hangs
		}
		if err := s.Close(time.Second); err == nil {
			t.Error("the close says that everything is written")
		}
		read := make(chan string)
		go func() {
			text, _ := io.ReadAll(reader)
			read <- string(text)
		}()
		if err := s.Close(time.Second); err != nil {
			t.Error(err)
		}
		_ = writer.Close()
		if got, want := <-read, "line 0\n7 lost\nline 1\nline 2\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
